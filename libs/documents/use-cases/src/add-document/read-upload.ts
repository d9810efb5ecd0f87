import { readFile } from 'node:fs/promises';
import { translateFileError } from '#kernel';

/** @param path of a file that the edge has received */
export const readUpload = (path: string): Promise<Buffer> =>
  readFile(path).catch((error) => {
    throw translateFileError(error);
  });
