-- Passwords hashed by Argon2id.
--
-- A record says its own algorithm, so nothing is converted here. Servers that know only scrypt would refuse people whose
-- password a newer server has hashed again: SQL/compatibility names this migration.

comment on column credential.password_record is 'Algorithm, cost, salt and hash, made outside.';
