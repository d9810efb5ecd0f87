import { ApiError, invalid } from './api-error.ts';
import type { Drive, DriveFile } from './drive.ts';
import { readQuery } from './query.ts';
import { fileResource } from './resources.ts';

interface Listing {
  /** What was asked, which a token can't be used without. */
  readonly asked: string;
  readonly ids: readonly string[];
  readonly from: number;
}

/** Where listings go on. */
export class Pages {
  readonly #listings = new Map<string, Listing>();
  /** Tokens of changes below it are gone. */
  #gone = 0;

  keep(listing: Listing): string {
    const token = `~!!~${crypto.randomUUID()}`;
    this.#listings.set(token, listing);
    return token;
  }

  /** @throws ApiError */
  take(token: string, asked: string): Listing {
    const listing = this.#listings.get(token);
    if (listing === undefined || listing.asked !== asked) throw invalid('pageToken');
    return listing;
  }

  /** Tokens that were given until now do not work any longer: 400 of a listing of files, 410 of changes below `first`. */
  expire(first: number): void {
    this.#listings.clear();
    this.#gone = first;
  }

  areGone(token: number): boolean {
    return token < this.#gone;
  }
}

const ORDERS: Readonly<Record<string, (file: DriveFile) => string | number>> = {
  name: ({ name }) => name.toLowerCase(),
  name_natural: ({ name }) => name.toLowerCase(),
  folder: ({ mimeType }) => (mimeType.endsWith('.folder') ? 0 : 1),
  createdTime: ({ createdTime }) => createdTime,
  modifiedTime: ({ modifiedTime }) => modifiedTime,
  recency: ({ modifiedTime }) => modifiedTime,
  quotaBytesUsed: ({ content }) => content?.length ?? 0,
};

/** @throws ApiError */
export function listFiles(drive: Drive, pages: Pages, query: URLSearchParams): object {
  const size = sizeOf(query, 100, 1000);
  const asked = ['q', 'corpora', 'driveId', 'orderBy', 'includeItemsFromAllDrives', 'spaces']
    .map((name) => query.get(name) ?? '')
    .join('\n');
  const token = query.get('pageToken');
  const { ids, from } = token === null ? { ids: search(drive, query), from: 0 } : pages.take(token, asked);
  const files = ids.slice(from, from + size).flatMap((id) => drive.files.get(id) ?? []);
  return {
    ...{ kind: 'drive#fileList', incompleteSearch: false },
    ...(from + size < ids.length && { nextPageToken: pages.keep({ asked, ids, from: from + size }) }),
    files: files.map((file) => fileResource(drive, file)),
  };
}

export function sizeOf(query: URLSearchParams, byDefault: number, most: number): number {
  const size = Number(query.get('pageSize') ?? byDefault);
  if (!Number.isInteger(size) || size < 1 || size > most) {
    const message = `Invalid value '${size}'. Values must be within the range: [1, ${most}]`;
    throw new ApiError(400, 'invalidParameter', message, 'pageSize');
  }
  return size;
}

function search(drive: Drive, query: URLSearchParams): string[] {
  const isOfCorpora = corpora(drive, query);
  const q = query.get('q') ?? '';
  const matches = q.trim() === '' ? () => true : readQuery(q);
  const found = [...drive.files.values()].filter(
    (file) =>
      file.id !== drive.root &&
      file.id !== file.driveId &&
      isOfCorpora(file) &&
      matches({
        ...{ file, root: drive.root, isTrashed: drive.isTrashed(file), isSharedWithMe: drive.isSharedWithMe(file) },
      }),
  );
  return found.sort(orderOf(query.get('orderBy'))).map(({ id }) => id);
}

function corpora(drive: Drive, query: URLSearchParams): (file: DriveFile) => boolean {
  const driveId = query.get('driveId');
  const name = query.get('corpora') ?? (driveId === null ? 'user' : 'drive');
  const seesDrives = query.get('includeItemsFromAllDrives') === 'true';
  if (seesDrives && query.get('supportsAllDrives') !== 'true') {
    const message = 'The supportsAllDrives parameter must be true if includeItemsFromAllDrives is.';
    throw new ApiError(403, 'teamDrivesParentLimit', message, 'includeItemsFromAllDrives');
  }
  if ((name === 'drive') !== (driveId !== null)) throw invalid(driveId === null ? 'driveId' : 'corpora');
  if (name === 'drive' || name === 'allDrives') {
    if (!seesDrives) throw invalid('includeItemsFromAllDrives');
    if (driveId !== null && !drive.sharedDrives.has(driveId)) {
      throw new ApiError(404, 'notFound', `Shared drive not found: ${driveId}`, 'driveId');
    }
    return (file) => name === 'allDrives' || file.driveId === driveId;
  }
  if (name !== 'user') throw invalid('corpora');
  // Of shared drives the user's corpus has what lies in a folder that the query names.
  const q = query.get('q') ?? '';
  return ({ driveId: of, parent }) => of === null || (seesDrives && parent !== null && q.includes(`'${parent}'`));
}

function orderOf(orderBy: string | null): (one: DriveFile, other: DriveFile) => number {
  const keys = (orderBy ?? '').split(',').filter((key) => key.trim() !== '');
  const compares = keys.map((key) => {
    const [name = '', direction = 'asc'] = key.trim().split(/\s+/);
    const of = ORDERS[name];
    if (of === undefined || !['asc', 'desc'].includes(direction)) throw invalid('orderBy');
    return (one: DriveFile, other: DriveFile) => {
      const [a, b] = [of(one), of(other)];
      return (a < b ? -1 : a > b ? 1 : 0) * (direction === 'desc' ? -1 : 1);
    };
  });
  return (one, other) =>
    compares.map((compare) => compare(one, other)).find((by) => by !== 0) ?? other.number - one.number;
}
