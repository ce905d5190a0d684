-- The least rights that a crawl on many machines needs. Run it as the database's owner after `goldminer cluster init`, and
-- again after each `--adopt`: steps of the schema may bring tables. `init` and `--adopt` themselves need the right to create
-- tables in the schema: let the owner say them.
--
--   goldminer_worker    cluster work
--   goldminer_operator  cluster ctl, and all that a reader may
--   goldminer_reader    cluster status, export, extract, jobs; the console
--
-- Give each person and machine a role of its own with a password, and one of these: GRANT goldminer_worker TO machine_7;

DO $$
DECLARE
    role text;
BEGIN
    FOREACH role IN ARRAY ARRAY['goldminer_worker', 'goldminer_operator', 'goldminer_reader'] LOOP
        IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = role) THEN
            EXECUTE format('CREATE ROLE %I NOLOGIN', role);
        END IF;
        EXECUTE format('GRANT USAGE ON SCHEMA %I TO %I', current_schema(), role);
    END LOOP;
END $$;

GRANT SELECT ON goldminer_schema, crawl, worker, partition, piece, host_wait, command, profile, address
    TO goldminer_worker, goldminer_operator, goldminer_reader;

GRANT INSERT, UPDATE ON worker TO goldminer_worker;
GRANT UPDATE ON partition TO goldminer_worker;
GRANT INSERT, UPDATE, DELETE ON piece TO goldminer_worker;
GRANT INSERT, UPDATE ON host_wait TO goldminer_worker;
GRANT UPDATE (said, refused, epoch) ON command TO goldminer_worker;
GRANT INSERT ON profile TO goldminer_worker;
GRANT INSERT, DELETE ON address TO goldminer_worker;

GRANT INSERT (partition, command) ON command TO goldminer_operator;
GRANT UPDATE (asked, done) ON partition TO goldminer_operator;
