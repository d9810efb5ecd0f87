/**
 * Version of what extraction yields; raised with every change of it. Events name the version that read a text, and
 * `mneme reprocess` reads files of lower ones again.
 */
export const EXTRACTION_VERSION = 1;
