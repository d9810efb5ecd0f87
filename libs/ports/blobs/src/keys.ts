import { InvalidBlobKeyError } from './port.ts';

const PART = '[A-Za-z0-9_-][A-Za-z0-9._-]*';
const KEY = new RegExp(`^${PART}/${PART}/${PART}$`);
const PREFIX = new RegExp(`^(${PART}/){1,2}$`);

/** @throws InvalidBlobKeyError */
export function checkKey(key: string): void {
  if (!KEY.test(key)) throw new InvalidBlobKeyError(`Not a blob key: ${key}`);
}

/** @throws InvalidBlobKeyError */
export function checkPrefix(prefix: string): void {
  if (!PREFIX.test(prefix)) throw new InvalidBlobKeyError(`Not a prefix of blob keys: ${prefix}`);
}
