import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Returns whether the program rclone is in `PATH`. */
export const hasRclone = ({ PATH = '' }: Environment): boolean =>
  PATH.split(delimiter).some((folder) => folder !== '' && isExecutable(join(folder, 'rclone')));

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
