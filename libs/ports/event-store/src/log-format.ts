/**
 * Version of the form in which the log, its stream keys and the blobs hold data. A log of another version is refused when it
 * is opened. Raised when data of the version before it cannot be read any more.
 */
export const LOG_FORMAT = 2;
