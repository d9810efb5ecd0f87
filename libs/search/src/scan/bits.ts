/** @param mask not 0 @returns the number of its lowest set bit; `mask & (mask - 1)` is the mask without it */
export const lowestBit = (mask: number): number => 31 - Math.clz32(mask & -mask);
