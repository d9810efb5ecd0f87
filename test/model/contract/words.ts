/** The words of all texts. No two have the same stem, and none is a stop word. */
export const WORDS = [
  ...['walrus', 'marble', 'pantry', 'kettle', 'saddle', 'lantern', 'turnip', 'violin'],
  ...['harbor', 'pebble', 'falcon', 'cactus', 'mitten', 'thimble', 'zipper', 'orchid'],
] as const;

export const hasWord = (text: string, word: string): boolean => text.split(/[^a-z]+/).includes(word);
