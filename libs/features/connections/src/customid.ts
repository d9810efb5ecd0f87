import { hash } from 'node:crypto';

/** As long as a customId may be. */
const MOST_CHARACTERS = 255;

/** The customId of the document of an item: `<connection>:<item>`, with the SHA-256 of the item's id where that is too long. */
export function itemCustomId(connection: string, item: string): string {
  const customId = `${connection}:${item}`;
  return customId.length > MOST_CHARACTERS || !item.isWellFormed()
    ? `${connection}:${hash('sha256', item, 'hex')}`
    : customId;
}

/** How many numbers `itemSlot` gives. */
export const ITEM_SLOTS = 2 ** 32;

/** A number of an item by which items of a connection are read in parts: from 0 to `ITEM_SLOTS` - 1. */
export const itemSlot = (item: string): number => Number.parseInt(hash('sha256', item, 'hex').slice(0, 8), 16);
