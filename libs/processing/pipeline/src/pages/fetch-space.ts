import { statfsSync } from 'node:fs';
import { ResourceError, translateFileError } from '#platform/kernel';
import { Places } from './places.ts';

/** What is larger takes a place. Bytes. */
export const SMALL_BYTES = 1024 * 1024;
const PLACES = 8;

export interface FetchSpaceOptions {
  /** On the disk that is used. Has to exist when space is reserved. */
  readonly folder: string;
  /** Free space that no fetch uses. Bytes. */
  readonly minFreeBytes: number;
  /** Files larger than `SMALL_BYTES` that each queue has on the disk at once. Default: 8. */
  readonly places?: number;
}

/**
 * Bounds what fetches take of the disk. How large a page is shows only while it arrives, so a fetch begins with little, and one
 * that gets large goes on with a place, of which there are few.
 */
export class FetchSpace {
  /** Documents that are read soon do not wait for those of which the reading takes minutes. */
  readonly brief: Places;
  readonly long: Places;
  readonly #options: FetchSpaceOptions;
  /** Of fetches that run: they may still write this much. */
  #reserved = 0;

  constructor(options: FetchSpaceOptions) {
    const { places = PLACES } = options;
    this.#options = options;
    this.brief = new Places(places);
    this.long = new Places(places);
  }

  /** Returns what gives the space back. @throws ResourceError if there is not enough of it */
  reserve(bytes: number): () => void {
    const { folder, minFreeBytes } = this.#options;
    if (freeBytes(folder) - this.#reserved - bytes < minFreeBytes) {
      throw new ResourceError('no_space', 'There is not enough free disk space to fetch a page.');
    }
    this.#reserved += bytes;
    return () => {
      this.#reserved -= bytes;
    };
  }
}

function freeBytes(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch (error) {
    throw translateFileError(error);
  }
}
