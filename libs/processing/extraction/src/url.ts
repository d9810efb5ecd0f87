import { urlIn } from '#platform/kernel';

/** Returns whether the content, without surrounding white space, is one absolute http(s) URL (contract P3). */
export const isUrl = (content: string): boolean => urlIn(content) !== null;
