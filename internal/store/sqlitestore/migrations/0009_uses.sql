-- The accesses since a day, which a follower reads when it opens.
CREATE INDEX access_day ON access (day);

-- The IANA name of the zone in which the dates of the calendar are; '': that of the process.
ALTER TABLE state ADD COLUMN zone TEXT NOT NULL DEFAULT '';
