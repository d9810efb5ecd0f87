export const FOLDER = 'application/vnd.google-apps.folder';
export const SHORTCUT = 'application/vnd.google-apps.shortcut';
const EDITORS = 'application/vnd.google-apps.';

/** A file, folder, shortcut or document of an editor. */
export interface DriveFile {
  readonly id: string;
  /** Grows with every file. */
  readonly number: number;
  name: string;
  mimeType: string;
  /** Null: the root of My Drive or of a shared drive, or a file that others share and nobody has put into a folder. */
  parent: string | null;
  /** Null: not of a shared drive. */
  driveId: string | null;
  owner: string;
  isTrashed: boolean;
  /** Null: a folder, a shortcut, or a document of an editor. */
  content: Buffer | null;
  /** Of a document of an editor: by the type it is exported to. */
  exports: Readonly<Record<string, Buffer>>;
  /** Of a shortcut. */
  target: string | null;
  /** Why its content is not given, as a reason of the API such as `cannotDownload`. */
  refusal: string | null;
  createdTime: number;
  modifiedTime: number;
  version: number;
  /** Grows with the content. */
  revision: number;
}

export interface SharedDrive {
  readonly id: string;
  name: string;
  createdTime: number;
}

/** `id`: of a file or of a shared drive. */
export interface Change {
  readonly number: number;
  readonly kind: 'file' | 'drive';
  readonly id: string;
  readonly time: number;
}

export interface FileOptions {
  readonly name: string;
  readonly content?: string | Uint8Array;
  readonly mimeType?: string;
  /** Id of a folder or of a shared drive. Default: My Drive, or nowhere if `owner` is somebody else. */
  readonly parent?: string;
  /** E-mail address. Default: the user of the stand-in. Others share it with the user. */
  readonly owner?: string;
}

export interface DocumentOptions extends Omit<FileOptions, 'content' | 'mimeType'> {
  readonly kind: 'document' | 'spreadsheet' | 'presentation' | 'drawing' | 'form';
  /** By the type they are exported to. What is missing can't be exported to. */
  readonly exports: Readonly<Record<string, string | Uint8Array>>;
}

/** The log of the user. Others are named by their shared drive. */
const USER = '';

/** The files that one user sees, and the logs of their changes. A test changes them; the API reads. */
export class Drive {
  readonly user: string;
  readonly root: string;
  readonly files = new Map<string, DriveFile>();
  readonly sharedDrives = new Map<string, SharedDrive>();
  /** Told of after every change: the log in which it is. */
  onChange: (log: string) => void = () => {};
  /**
   * Whether what lies below a folder has entries of its own in the log when the folder is trashed or deleted. The
   * description leaves it open.
   */
  tellsDescendants = false;
  /** By the id of the item. */
  readonly #logs = new Map<string, Map<string, Change>>([[USER, new Map()]]);
  #number = 1000;

  constructor(user: string) {
    this.user = user;
    this.root = this.#put({ name: 'My Drive', mimeType: FOLDER, parent: null }, USER).id;
  }

  get nextChange(): number {
    return this.#number + 1;
  }

  /** Tokens of changes that are given from now on differ from earlier ones. @returns the first of them */
  skipNumber(): number {
    this.#number += 1;
    return this.nextChange;
  }

  /** @param driveId null: of the user @returns null: no such log */
  changes(driveId: string | null): readonly Change[] | null {
    const log = this.#logs.get(driveId ?? USER);
    return log === undefined ? null : [...log.values()];
  }

  addFile(options: FileOptions): string {
    const { content = '', mimeType = 'text/plain' } = options;
    return this.#add({ ...options, mimeType, content: Buffer.from(content as string) }).id;
  }

  addFolder(options: Omit<FileOptions, 'content' | 'mimeType'>): string {
    return this.#add({ ...options, mimeType: FOLDER }).id;
  }

  addDocument({ kind, exports, ...options }: DocumentOptions): string {
    return this.#add({ ...options, mimeType: EDITORS + kind, exports: buffers(exports) }).id;
  }

  addShortcut(options: Omit<FileOptions, 'content' | 'mimeType'> & { readonly target: string }): string {
    return this.#add({ ...options, mimeType: SHORTCUT }).id;
  }

  /** @returns its id, which is the one of its root folder too */
  addSharedDrive(name: string): string {
    const folder = this.#put({ name, mimeType: FOLDER, parent: null, isDrive: true }, USER);
    this.sharedDrives.set(folder.id, { id: folder.id, name, createdTime: folder.createdTime });
    this.#logs.set(folder.id, new Map());
    this.#note(USER, 'drive', folder.id);
    return folder.id;
  }

  renameSharedDrive(id: string, name: string): void {
    const drive = this.sharedDrives.get(id);
    if (drive === undefined) throw new Error(`no shared drive ${id}`);
    [drive.name, this.file(id).name] = [name, name];
    this.#note(USER, 'drive', id);
  }

  /** The user is a member no longer. */
  leaveSharedDrive(id: string): void {
    this.sharedDrives.delete(id);
    this.#logs.delete(id);
    for (const file of [...this.files.values()]) if (file.driveId === id) this.files.delete(file.id);
    this.#note(USER, 'drive', id);
  }

  edit(id: string, content: string | Uint8Array): void {
    const file = this.file(id);
    file.content = Buffer.from(content as string);
    this.#changed(file, true);
  }

  editDocument(id: string, exports: DocumentOptions['exports']): void {
    const file = this.file(id);
    file.exports = buffers(exports);
    this.#changed(file, true);
  }

  /** Something changes that is not the content: a comment, a star, a reader. */
  touch(id: string): void {
    this.#changed(this.file(id), false);
  }

  rename(id: string, name: string): void {
    const file = this.file(id);
    file.name = name;
    this.#changed(file, false);
  }

  /** @param parent a folder, or a shared drive */
  move(id: string, parent: string): void {
    const file = this.file(id);
    const former = file.driveId;
    file.parent = parent;
    const driveId = this.file(parent).driveId;
    for (const one of former === driveId ? [] : [file, ...this.below(id)]) {
      one.driveId = driveId;
      for (const log of [former, driveId]) this.#note(log ?? USER, 'file', one.id);
    }
    this.#changed(file, false);
  }

  trash(id: string): void {
    this.#trash(id, true);
  }

  untrash(id: string): void {
    this.#trash(id, false);
  }

  /** For good, with what lies below it. A file of others that they do not share any longer looks the same. */
  delete(id: string): void {
    const file = this.file(id);
    const below = this.below(id);
    for (const one of [file, ...below]) this.files.delete(one.id);
    const log = file.driveId ?? USER;
    this.#note(log, 'file', id);
    for (const one of this.tellsDescendants ? below : []) this.#note(log, 'file', one.id);
  }

  /** @param reason null: its content is given again */
  refuse(id: string, reason: 'cannotDownload' | 'cannotDownloadAbusiveFile' | null): void {
    this.file(id).refusal = reason;
  }

  file(id: string): DriveFile {
    const file = this.files.get(id === 'root' ? this.root : id);
    if (file === undefined) throw new Error(`no file ${id}`);
    return file;
  }

  below(id: string): DriveFile[] {
    const children = [...this.files.values()].filter(({ parent }) => parent === id);
    return children.flatMap((child) => [child, ...this.below(child.id)]);
  }

  /** Itself or a folder above it. */
  isTrashed(file: DriveFile): boolean {
    const parent = file.parent === null ? undefined : this.files.get(file.parent);
    return file.isTrashed || (parent !== undefined && this.isTrashed(parent));
  }

  isSharedWithMe({ owner, driveId }: DriveFile): boolean {
    return owner !== this.user && driveId === null;
  }

  #trash(id: string, isTrashed: boolean): void {
    const file = this.file(id);
    file.isTrashed = isTrashed;
    this.#changed(file, false);
    for (const one of this.tellsDescendants ? this.below(id) : []) this.#changed(one, false);
  }

  #add(options: Partial<DriveFile> & { name: string; mimeType: string }): DriveFile {
    const { owner = this.user, parent = owner === this.user ? this.root : null } = options;
    const driveId = parent === null ? null : this.file(parent).driveId;
    return this.#put({ ...options, owner, parent: parent === 'root' ? this.root : parent, driveId }, driveId ?? USER);
  }

  #put(given: Partial<DriveFile> & { name: string; mimeType: string; isDrive?: boolean }, log: string): DriveFile {
    this.#number += 1;
    const id = `1${crypto.randomUUID().replaceAll('-', '')}`;
    const { isDrive = false, ...options } = given;
    const now = Date.now();
    const file: DriveFile = {
      ...{ id, number: this.#number, parent: null, driveId: isDrive ? id : null, owner: this.user, isTrashed: false },
      ...{ content: null, exports: {}, target: null, refusal: null, createdTime: now, modifiedTime: now },
      ...{ version: 1, revision: 1 },
      ...options,
    };
    this.files.set(id, file);
    if (file.parent !== null || file.owner !== this.user) this.#note(log, 'file', id);
    return file;
  }

  #changed(file: DriveFile, isContent: boolean): void {
    file.version += 1;
    if (isContent) [file.revision, file.modifiedTime] = [file.revision + 1, Date.now()];
    this.#note(file.driveId ?? USER, 'file', file.id);
  }

  /** A newer entry takes the place of an older one of the same item. */
  #note(log: string, kind: Change['kind'], id: string): void {
    this.#number += 1;
    const changes = this.#logs.get(log);
    changes?.delete(id);
    changes?.set(id, { number: this.#number, kind, id, time: Date.now() });
    this.onChange(log);
  }
}

function buffers(exports: DocumentOptions['exports']): Record<string, Buffer> {
  return Object.fromEntries(Object.entries(exports).map(([type, content]) => [type, Buffer.from(content as string)]));
}
