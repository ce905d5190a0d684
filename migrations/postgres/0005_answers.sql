-- Which of a partition's owners carried a command out: what it changed is in that epoch's commit.

ALTER TABLE command ADD COLUMN epoch bigint;
