-- What an operator wants of a crawl, for whoever has the partition. What a command has changed is committed with its answer.

CREATE TABLE command (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    partition  integer NOT NULL REFERENCES partition,
    command    text NOT NULL,              -- as JSON
    given      timestamptz NOT NULL DEFAULT now(),
    said       text,                       -- what was done, a line each; null until it is committed
    refused    boolean NOT NULL DEFAULT false
);

CREATE INDEX command_waiting ON command (partition, id) WHERE said IS NULL;

-- How many commands it was given: a commit that has not seen all of them does not end it.
ALTER TABLE partition ADD COLUMN asked bigint NOT NULL DEFAULT 0;
