/** Whether two texts are the same e-mail address. No provider tells people apart by the case of their letters. */
export const isSameAddress = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();
