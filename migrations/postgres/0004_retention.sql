-- How long archives stay in the store, and what nobody refers to any more: none is for good.

ALTER TABLE crawl ADD COLUMN keep_ms bigint;
ALTER TABLE crawl ADD COLUMN leftovers_ms bigint NOT NULL DEFAULT 86400000;

-- When a piece became visible, and when it was given up: its object goes a while later, for those who read it just then.
ALTER TABLE piece ADD COLUMN committed timestamptz NOT NULL DEFAULT now();
ALTER TABLE piece ADD COLUMN retired timestamptz;
ALTER TABLE piece ADD COLUMN removed boolean NOT NULL DEFAULT false;

CREATE INDEX piece_retired ON piece (partition, retired) WHERE retired IS NOT NULL AND NOT removed;
