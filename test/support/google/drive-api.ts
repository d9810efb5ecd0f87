import { ApiError, invalid, notFound } from './api-error.ts';
import type { Channels } from './channels.ts';
import { type Drive, type DriveFile } from './drive.ts';
import { masked, readMask } from './fields.ts';
import { listFiles, Pages, sizeOf } from './listings.ts';
import { driveResource, fileResource, isDocument, userResource } from './resources.ts';

const EXPORT_LIMIT = 10 * 1024 * 1024;

export interface ApiRequest {
  readonly method: string;
  /** Below `/drive/v3`. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: Readonly<Record<string, unknown>>;
  /** Whether the token may read contents. */
  readonly readsContent: boolean;
}

/** `bytes`: content instead of JSON. */
export interface ApiAnswer {
  readonly status: number;
  readonly body?: unknown;
  readonly bytes?: Buffer;
  readonly contentType?: string;
}

const FILE_FIELDS = 'kind,id,name,mimeType,driveId,teamDriveId';
/** What is given when `fields` is not. Null: it has to be. */
const DEFAULTS: Readonly<Record<string, string | null>> = {
  'GET about': null,
  'GET files': `kind,incompleteSearch,nextPageToken,files(${FILE_FIELDS})`,
  'GET files :id': FILE_FIELDS,
  'GET changes':
    `kind,nextPageToken,newStartPageToken,changes(kind,type,changeType,time,removed,fileId,driveId,` +
    `file(${FILE_FIELDS}),drive(kind,id,name))`,
  'GET drives': 'kind,nextPageToken,drives(kind,id,name)',
  'GET drives :id': 'kind,id,name',
};

/** The endpoints of the API that read, and those of notifications. */
export class DriveApi {
  readonly #drive: Drive;
  readonly #channels: Channels;
  readonly pages = new Pages();

  constructor(drive: Drive, channels: Channels) {
    this.#drive = drive;
    this.#channels = channels;
  }

  /** @throws ApiError */
  answer(request: ApiRequest): ApiAnswer {
    const [kind = '', part = '', more = ''] = request.path.split('/').slice(1).map(decodeURIComponent);
    const named = ['files', 'drives'].includes(kind) && part !== '';
    const asked = [request.method, kind, named ? ':id' : part, more].filter((word) => word !== '').join(' ');
    const { query } = request;
    const json = (body: unknown): ApiAnswer => ({ status: 200, body: this.#masked(asked, query, body) });
    switch (asked) {
      case 'GET about':
        return json(this.#about());
      case 'GET files':
        return json(listFiles(this.#drive, this.pages, query));
      case 'GET files :id':
        return query.get('alt') === 'media' ? this.#content(request, part) : json(this.#file(part, query));
      case 'GET files :id export':
        return this.#export(request, part);
      case 'GET changes startPageToken':
        return json({ kind: 'drive#startPageToken', startPageToken: String(this.#startOf(query)) });
      case 'GET changes':
        return json(this.#changes(query));
      case 'POST changes watch':
        this.#changes(query);
        return json(this.#channels.open(request.body, query));
      case 'POST channels stop':
        this.#channels.stop(request.body);
        return { status: 204 };
      case 'GET drives':
        return json(this.#drives(query));
      case 'GET drives :id': {
        const drive = this.#drive.sharedDrives.get(part);
        if (drive === undefined) {
          throw new ApiError(404, 'notFound', `Shared drive not found: ${part}`, 'driveId');
        }
        return json(driveResource(drive));
      }
      default:
        throw new ApiError(404, 'notFound', `Not Found: ${asked}`);
    }
  }

  #masked(asked: string, query: URLSearchParams, body: unknown): unknown {
    const fields = query.get('fields') ?? DEFAULTS[asked];
    if (fields === null) {
      throw new ApiError(400, 'required', `The 'fields' parameter is required for this method.`, 'fields');
    }
    return fields === undefined ? body : masked(body, readMask(fields));
  }

  #about(): object {
    const user = userResource(this.#drive.user, this.#drive.user);
    return { kind: 'drive#about', user, storageQuota: { limit: '16106127360', usage: '0', usageInDrive: '0' } };
  }

  /** Files of shared drives are there only for clients that say that they know them. */
  #find(id: string, query: URLSearchParams): DriveFile {
    const file = this.#drive.files.get(id === 'root' ? this.#drive.root : id);
    const knowsDrives = query.get('supportsAllDrives') === 'true';
    if (file === undefined || (file.driveId !== null && !knowsDrives)) throw notFound(id);
    return file;
  }

  #file(id: string, query: URLSearchParams): object {
    return fileResource(this.#drive, this.#find(id, query));
  }

  #content({ query, readsContent }: ApiRequest, id: string): ApiAnswer {
    const file = this.#find(id, query);
    if (!readsContent) throw insufficient();
    if (file.content === null) {
      const message = 'Only files with binary content can be downloaded. Use Export with Docs Editors files.';
      throw new ApiError(403, 'fileNotDownloadable', message, 'alt');
    }
    const isAcknowledged = query.get('acknowledgeAbuse') === 'true' && file.refusal === 'cannotDownloadAbusiveFile';
    if (file.refusal !== null && !isAcknowledged) throw refused(file.refusal);
    return { status: 200, bytes: file.content, contentType: file.mimeType };
  }

  #export({ query, readsContent }: ApiRequest, id: string): ApiAnswer {
    // Export finds files of shared drives without being asked to.
    const file = this.#find(id, new URLSearchParams({ supportsAllDrives: 'true' }));
    if (!readsContent) throw insufficient();
    const type = query.get('mimeType');
    if (type === null) throw new ApiError(400, 'required', 'Required parameter: mimeType', 'mimeType');
    if (!isDocument(file)) {
      throw new ApiError(403, 'fileNotExportable', 'Export only supports Docs Editors files.', 'fileId');
    }
    if (file.refusal !== null) throw refused(file.refusal);
    const bytes = file.exports[type];
    if (bytes === undefined) {
      throw new ApiError(400, 'badRequest', 'The requested conversion is not supported.', 'convertTo');
    }
    if (bytes.length > EXPORT_LIMIT) {
      throw new ApiError(403, 'exportSizeLimitExceeded', 'This file is too large to be exported.');
    }
    return { status: 200, bytes, contentType: type };
  }

  #startOf(query: URLSearchParams): number {
    this.#log(query);
    return this.#drive.nextChange;
  }

  #log(query: URLSearchParams) {
    const driveId = query.get('driveId');
    if (driveId !== null && query.get('supportsAllDrives') !== 'true') throw invalid('supportsAllDrives');
    const log = this.#drive.changes(driveId);
    if (log === null) throw new ApiError(404, 'notFound', `Shared drive not found: ${driveId}`, 'driveId');
    return { log, driveId };
  }

  #changes(query: URLSearchParams): object {
    const { log, driveId } = this.#log(query);
    const token = query.get('pageToken');
    if (token === null) throw new ApiError(400, 'required', 'Required parameter: pageToken', 'pageToken');
    if (!/^\d+$/.test(token) || Number(token) > this.#drive.nextChange) throw invalid('pageToken');
    if (this.pages.areGone(Number(token))) throw new ApiError(410, 'gone', 'The page token is no longer valid.');
    const size = sizeOf(query, 100, 1000);
    const isWanted = query.get('includeRemoved') !== 'false';
    const seesDrives = query.get('includeItemsFromAllDrives') === 'true' && query.get('supportsAllDrives') === 'true';
    if (driveId !== null && !seesDrives) throw invalid('includeItemsFromAllDrives');
    const waiting = log.filter(({ number }) => number >= Number(token));
    const page = waiting.slice(0, size);
    const changes = page.map(({ kind, id, time }) => {
      const common = { kind: 'drive#change', type: kind, changeType: kind, time: new Date(time).toISOString() };
      const drive = this.#drive.sharedDrives.get(id);
      if (kind === 'drive') {
        const removed = drive === undefined;
        return { ...common, removed, driveId: id, ...(drive !== undefined && { drive: driveResource(drive) }) };
      }
      const file = this.#drive.files.get(id);
      const isThere = file !== undefined && file.driveId === driveId;
      return {
        ...{ ...common, removed: !isThere, fileId: id },
        ...(isThere && { file: fileResource(this.#drive, file) }),
      };
    });
    const next = waiting[size];
    return {
      kind: 'drive#changeList',
      ...(next === undefined
        ? { newStartPageToken: String(this.#drive.nextChange) }
        : { nextPageToken: String(next.number) }),
      changes: changes
        .filter(({ removed }) => isWanted || !removed)
        .filter(({ changeType }) => seesDrives || changeType === 'file'),
    };
  }

  #drives(query: URLSearchParams): object {
    const all = [...this.#drive.sharedDrives.values()];
    const size = sizeOf(query, 10, 100);
    const token = query.get('pageToken');
    const from = token === null ? 0 : Number(/^drives-(\d+)$/.exec(token)?.[1] ?? Number.NaN);
    if (Number.isNaN(from)) throw invalid('pageToken');
    return {
      kind: 'drive#driveList',
      ...(from + size < all.length && { nextPageToken: `drives-${from + size}` }),
      drives: all.slice(from, from + size).map(driveResource),
    };
  }
}

const insufficient = () =>
  new ApiError(
    403,
    'insufficientPermissions',
    'Insufficient Permission: Request had insufficient authentication scopes.',
  );

const refused = (reason: string) =>
  new ApiError(
    403,
    reason,
    reason === 'cannotDownload'
      ? 'This file cannot be downloaded by the user.'
      : 'This file has been identified as malware or spam and cannot be downloaded.',
  );
