/** Loaded into a server: its clock is ahead by `TEST_AHEAD_MS`. */
const { now } = Date;
const ahead = Number(process.env.TEST_AHEAD_MS);
Date.now = () => now() + ahead;
