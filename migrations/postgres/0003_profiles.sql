-- What the partitions learned, each version once: a crawl that begins with what others learned has it from here.

CREATE TABLE profile (
    key        text NOT NULL,              -- the domain, or the part of it, that it serves
    version    integer NOT NULL,           -- counted here
    blake3     text NOT NULL,              -- of the profile
    profile    text NOT NULL,              -- as JSON
    learned    timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (key, version)
);

-- Which workers ask an address. Its pause is shared by those that live.
CREATE TABLE address (
    address    text NOT NULL,
    session    bigint NOT NULL REFERENCES worker,
    PRIMARY KEY (address, session)
);
