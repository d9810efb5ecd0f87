/** Loaded into a server by `--import`: its clock begins at STATE_TIME, milliseconds since the epoch. */
const offset = Number(process.env.STATE_TIME) - Date.now();
const present = Date.now.bind(Date);
Date.now = () => present() + offset;
