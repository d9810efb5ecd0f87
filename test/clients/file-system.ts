/** A command of the file-memory tool. */
export type Command =
  | { readonly command: 'view'; readonly path: string; readonly view_range?: readonly [number, number] }
  | { readonly command: 'create'; readonly path: string; readonly file_text: string }
  | { readonly command: 'str_replace'; readonly path: string; readonly old_str: string; readonly new_str: string }
  | { readonly command: 'insert'; readonly path: string; readonly insert_line: number; readonly insert_text: string }
  | { readonly command: 'rename'; readonly path: string; readonly new_path: string }
  | { readonly command: 'delete'; readonly path: string };

/** Of a refusal only that it is one. */
export type Answer = { readonly success: true; readonly content: string } | { readonly success: false };

const REFUSED: Answer = { success: false };
const done = (content: string): Answer => ({ success: true, content });

/** What the file-memory tool documents, in memory. */
export class FileSystem {
  readonly #files = new Map<string, string>();

  /** Paths of all files. */
  get paths(): readonly string[] {
    return [...this.#files.keys()];
  }

  handle(command: Command): Answer {
    const { path } = command;
    if (!isValid(path)) return REFUSED;
    if (command.command === 'create') return this.#write(path, command.file_text, `File created: ${path}`);
    if (command.command === 'view' && (path.endsWith('/') || path === '/memories')) return this.#directory(path);
    const text = this.#files.get(path);
    if (text === undefined) return REFUSED;
    switch (command.command) {
      case 'view':
        return done(numbered(text, command.view_range));
      case 'str_replace': {
        const at = text.indexOf(command.old_str);
        if (command.old_str === '' || at === -1) return REFUSED;
        const replaced = text.slice(0, at) + command.new_str + text.slice(at + command.old_str.length);
        return this.#write(path, replaced, `String replaced in file: ${path}`);
      }
      case 'insert': {
        const { insert_line: line, insert_text: inserted } = command;
        const lines = text.split('\n');
        if (line < 1 || line > lines.length + 1) return REFUSED;
        const all = [...lines.slice(0, line - 1), inserted, ...lines.slice(line - 1)];
        return this.#write(path, all.join('\n'), `Text inserted at line ${line} in file: ${path}`);
      }
      case 'rename': {
        if (!isValid(command.new_path)) return REFUSED;
        this.#files.delete(path);
        return this.#write(command.new_path, text, `File renamed from ${path} to ${command.new_path}`);
      }
      case 'delete':
        this.#files.delete(path);
        return done(`File deleted: ${path}`);
    }
  }

  /** A blank text cannot be stored: the service refuses it. */
  #write(path: string, text: string, message: string): Answer {
    if (text.trim() === '') return REFUSED;
    this.#files.set(path, text);
    return done(message);
  }

  #directory(path: string): Answer {
    const folder = path.endsWith('/') ? path : `${path}/`;
    const below = this.paths.filter((one) => one.startsWith(folder)).map((one) => one.slice(folder.length));
    const folders = new Set(below.filter((one) => one.includes('/')).map((one) => one.slice(0, one.indexOf('/') + 1)));
    const entries = [...[...folders].sort(), ...below.filter((one) => !one.includes('/')).sort()];
    const list = entries.length === 0 ? '(empty)' : entries.map((entry) => `- ${entry}`).join('\n');
    return done(`Directory: ${folder}\n${list}`);
  }
}

const isValid = (path: string): boolean =>
  (path === '/memories' || path.startsWith('/memories/')) && !path.includes('../');

/** Lines with their numbers from 1; a range ends at the end of the file if its end is negative. */
function numbered(text: string, [first, last]: readonly [number, number] = [1, -1]): string {
  const lines = text.split('\n').map((line, index) => `${String(index + 1).padStart(4)}\t${line}`);
  return lines.slice(first - 1, last < 0 ? undefined : last).join('\n');
}
