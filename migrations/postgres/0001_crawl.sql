-- One crawl a database (or a schema of one: options=-csearch_path=name). Nothing here grows with URLs: a row a partition,
-- a worker, a published piece of a file, and a host that asked for something.

CREATE TABLE crawl (
    one        boolean PRIMARY KEY DEFAULT true CHECK (one),
    version    text NOT NULL,              -- of the program; workers of another one are refused
    store      text NOT NULL,              -- where pieces of files lie
    ttl_ms     bigint NOT NULL,            -- a worker's lease without a heartbeat
    grace_ms   bigint NOT NULL,            -- after its end, until another takes over
    upload_ms  bigint NOT NULL,            -- from one commit of a partition to the next
    created    timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE worker (
    session    bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name       text NOT NULL,              -- for people; two may have the same
    version    text NOT NULL,
    began      timestamptz NOT NULL DEFAULT now(),
    expires    timestamptz NOT NULL,
    dead       boolean NOT NULL DEFAULT false
);

CREATE TABLE partition (
    id           integer PRIMARY KEY,
    job          text NOT NULL,            -- the effective configuration, as in job.toml
    portals      integer NOT NULL,
    owner        bigint REFERENCES worker,
    epoch        bigint NOT NULL DEFAULT 0,
    quiet_since  timestamptz,              -- by then the last request of earlier owners had ended
    began        timestamptz,              -- its first claim: limits of time count from here
    done         text,                     -- how it ended; null while there is work
    checkpoint   text,                     -- key of what its databases knew at the last commit
    bytes        bigint,
    blake3       text,
    committed    timestamptz,
    documents    bigint NOT NULL DEFAULT 0,
    pages        bigint NOT NULL DEFAULT 0,
    queued       bigint NOT NULL DEFAULT 0
);

CREATE INDEX partition_free ON partition (id) WHERE done IS NULL;

CREATE TABLE piece (
    partition  integer NOT NULL REFERENCES partition,
    file       text NOT NULL,              -- within the job directory
    start      bigint NOT NULL,            -- where in that file the piece begins
    bytes      bigint NOT NULL,
    key        text NOT NULL,              -- in the store; never written twice
    blake3     text NOT NULL,
    epoch      bigint NOT NULL,
    PRIMARY KEY (partition, file, start)
);

CREATE TABLE host_wait (
    host            text PRIMARY KEY,
    partition       integer NOT NULL REFERENCES partition,
    until           timestamptz NOT NULL,
    crawl_delay_ms  bigint
);

CREATE INDEX host_wait_partition ON host_wait (partition);
