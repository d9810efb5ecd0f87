import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Reused between runs. */
const INSTALLED = join(tmpdir(), 'mneme-clients');
const INSTALL_MS = 300_000;
const CLIENTS = resolve(import.meta.dirname, '../clients');
const FRAMEWORKS = resolve(import.meta.dirname, '../../examples/frameworks');

/** Where a client is installed, or why it is not. */
export type Installed = { readonly folder: string } | { readonly missing: string };

/**
 * Installs the Python packages of a folder of `clients` into a virtual environment. Needs Python 3 with venv, and the package
 * index.
 */
export const installPythonClient = (
  name: 'python' | 'mcp-python' | 'models-python' | 'moto' = 'python',
): Promise<Installed> => installPython(name, join(CLIENTS, name));

/** Installs the Python packages of the examples for frameworks in the same way. */
export const installPythonFrameworks = (): Promise<Installed> => installPython('frameworks-python', FRAMEWORKS);

async function installPython(name: string, source: string): Promise<Installed> {
  const requirements = join(source, 'requirements.txt');
  const tools = await run('python3', ['-c', 'import sys, venv, ensurepip; print(sys.version)']).catch(() => null);
  if (tools === null) return { missing: 'Python 3 with venv is not installed (Debian: python3-venv)' };
  return installOnce(name, [await readFile(requirements, 'utf8'), tools.stdout], async (folder) => {
    await run('python3', ['-m', 'venv', folder], { timeout: INSTALL_MS });
    const options = ['--quiet', '--no-input', '--disable-pip-version-check'];
    await run(pythonIn(folder), ['-m', 'pip', 'install', ...options, '-r', requirements], { timeout: INSTALL_MS });
  });
}

export const pythonIn = (folder: string): string => join(folder, 'bin', 'python');

/** Builds a program of a Go module, such as `example.com/tool/cmd/tool@v1.2.3`. Needs Go and the module proxy. */
export async function installGoProgram(program: string): Promise<Installed> {
  const tools = await run('go', ['version']).catch(() => null);
  if (tools === null) return { missing: 'Go is not installed' };
  const name = basename(program).replace(/@.*/, '');
  return installOnce(name, [program, tools.stdout], async (folder) => {
    const env = { ...process.env, GOBIN: folder, GOFLAGS: '-modcacherw' };
    await run('go', ['install', program], { env, timeout: INSTALL_MS });
  });
}

/** Installs `@supermemory/tools` with the packages of the model clients that it wraps. Needs the npm registry. */
export const installTools = (): Promise<Installed> => installPackages('tools', join(CLIENTS, 'tools'));

/** Installs the npm packages of OpenAI, Anthropic and Google. Needs the npm registry. */
export const installModels = (): Promise<Installed> => installPackages('models', join(CLIENTS, 'models'));

/** Installs the clients and the conformance tests of the Model Context Protocol. Needs the npm registry. */
export const installMcpClients = (): Promise<Installed> => installPackages('mcp', join(CLIENTS, 'mcp'));

/** Installs the examples for frameworks with their packages. Needs the npm registry. */
export const installFrameworks = (): Promise<Installed> => installPackages('frameworks', FRAMEWORKS);

/** Copies the files of a folder beside the packages that they name, so that these are found. */
async function installPackages(name: string, source: string): Promise<Installed> {
  const entries = await readdir(source, { withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(source, entry.name));
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')));
  return installOnce(name, texts, async (folder) => {
    for (const file of files) await cp(file, join(folder, basename(file)));
    const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'];
    await run('npm', ['ci', ...options], { cwd: folder, timeout: INSTALL_MS });
  });
}

/** Installs into a temporary folder, and renames this at the end. A folder with these versions is used again. */
async function installOnce(
  name: string,
  versions: readonly string[],
  install: (folder: string) => Promise<void>,
): Promise<Installed> {
  const version = createHash('sha256').update(versions.join('\0')).digest('hex').slice(0, 16);
  const folder = join(INSTALLED, `${name}-${version}`);
  if (existsSync(folder)) return { folder };
  await mkdir(INSTALLED, { recursive: true });
  const unfinished = await mkdtemp(join(INSTALLED, 'install-'));
  try {
    await install(unfinished);
    // Another run may have been faster.
    await rename(unfinished, folder).catch((error) => existsSync(folder) || Promise.reject(error));
    return { folder };
  } catch (error) {
    const { stderr = '', message } = error as Error & { readonly stderr?: string };
    return { missing: `${name} cannot be installed: ${(stderr || message).trim().slice(-500)}` };
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}
