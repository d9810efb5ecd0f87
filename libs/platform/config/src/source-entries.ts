import { isAbsolute, resolve } from 'node:path';

/** What connections may read from, as the operator has named it. */
export interface SourceEntry {
  /** Callers choose by it. */
  readonly name: string;
  /** Ids of the organizations that may connect it; null: all. */
  readonly organizations: readonly string[] | null;
}

export interface FolderEntry extends SourceEntry {
  /** Absolute. */
  readonly path: string;
}

export interface RcloneEntry extends SourceEntry {
  /** Of the configuration of rclone. */
  readonly remote: string;
  /** Below the remote, without slashes at its ends; empty: all of it. */
  readonly path: string;
}

const NAME = /^[a-z][a-z0-9-]{0,29}$/;
/** Names of rclone without what begins an option or continues as a connection string. */
const REMOTE = /^([\p{L}\p{N}_.+@][\p{L}\p{N}_.+@ -]*):([^:]*)$/u;
const FOLDERS_FORM = 'must be a JSON list like [{"name":"notes","path":"/srv/notes"}]';
const RCLONE_FORM = 'must be a JSON list like [{"name":"team","remote":"dropbox:Team"}]';

/** Reads a list of folders as JSON. */
export const folderEntries = (text: string): readonly FolderEntry[] =>
  entriesOf(text, { field: 'path', form: FOLDERS_FORM }, (path, name) => {
    if (!isAbsolute(path)) throw new Error(`needs an absolute path of ${name}, not ${path}`);
    return { path: resolve(path) };
  });

/** Reads a list of folders of rclone's remotes as JSON. */
export const rcloneEntries = (text: string): readonly RcloneEntry[] =>
  entriesOf(text, { field: 'remote', form: RCLONE_FORM }, (text, name) => {
    const [, remote, below = ''] = REMOTE.exec(text) ?? [];
    const path = below.replace(/^\/+|\/+$/g, '');
    if (remote === undefined || path.split('/').includes('..')) {
      throw new Error(`needs a remote of ${name} like dropbox:Team, the name of a remote and a path without ..`);
    }
    return { remote, path };
  });

interface Form {
  /** What an entry has beside its name. */
  readonly field: string;
  readonly form: string;
}

function entriesOf<T>(text: string, { field, form }: Form, read: (value: string, name: string) => T) {
  const list = parsed(text, form);
  if (!Array.isArray(list)) throw new Error(form);
  const entries = list.map((entry: unknown) => {
    if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) throw new Error(form);
    const { name, [field]: value, organizations = null, ...others } = entry as Record<string, unknown>;
    if (typeof name !== 'string' || !NAME.test(name)) {
      throw new Error('has an entry without a `name` of lower-case letters, digits and hyphens, such as notes');
    }
    const [unknown] = Object.keys(others);
    if (unknown !== undefined) {
      throw new Error(`has a field ${unknown} of ${name} that is none of name, ${field}, organizations`);
    }
    if (typeof value !== 'string' || value === '') throw new Error(`needs a ${field} of ${name}`);
    if (organizations !== null && !isListOfIds(organizations)) {
      throw new Error(`has organizations of ${name} that are no list of ids`);
    }
    return { name, organizations, ...read(value, name) };
  });
  const twice = entries.find(({ name }, at) => entries.findIndex((other) => other.name === name) !== at);
  if (twice !== undefined) throw new Error(`names ${twice.name} twice`);
  return entries;
}

function parsed(text: string, form: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(form);
  }
}

const isListOfIds = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.length > 0 && value.every((id) => typeof id === 'string' && id !== '');
