import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

/**
 * Returns the resident memory of a process and its descendants, in bytes; 0 if it has ended. Memory that processes share
 * counts once for each of them.
 *
 * Linux: `/proc/<pid>/task/<tid>/children` names the descendants; a kernel without that file (CONFIG_PROC_CHILDREN) costs
 * a scan of all processes. Elsewhere: `ps`.
 */
export function treeRss(pid: number): Promise<number> {
  return process.platform === 'linux' ? rssByProc(pid) : rssByPs(pid);
}

/** @param proc where the kernel's process file system is mounted */
export async function rssByProc(pid: number, proc = '/proc'): Promise<number> {
  const members = existsSync(join(proc, 'thread-self/children'))
    ? membersByChildren(pid, proc)
    : membersByParents(pid, parents(proc));
  return members.reduce((sum, member) => sum + rssOf(member, proc), 0);
}

function membersByChildren(pid: number, proc: string): number[] {
  const members = [pid];
  // Grows while it is read.
  for (const member of members) {
    for (const thread of list(join(proc, `${member}/task`))) {
      const children = read(join(proc, `${member}/task/${thread}/children`)).split(' ');
      members.push(...children.filter((child) => child !== '').map(Number));
    }
  }
  return members;
}

function membersByParents(pid: number, parentOf: ReadonlyMap<number, number>): number[] {
  const childrenOf = Map.groupBy(parentOf.keys(), (child) => parentOf.get(child));
  const members = [pid];
  for (const member of members) members.push(...(childrenOf.get(member) ?? []));
  return members;
}

/** Parent of each process. */
function parents(proc: string): Map<number, number> {
  const parentOf = new Map<number, number>();
  for (const name of list(proc)) {
    const pid = Number(name);
    if (Number.isNaN(pid)) continue;
    const stat = read(join(proc, name, 'stat'));
    // The second field is the program's name in parentheses, which may hold spaces and parentheses.
    const [, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ', 2);
    if (parent !== undefined) parentOf.set(pid, Number(parent));
  }
  return parentOf;
}

function rssOf(pid: number, proc: string): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(read(join(proc, `${pid}/status`)))?.[1];
  return Number(kilobytes ?? 0) * 1024;
}

export async function rssByPs(pid: number): Promise<number> {
  const { stdout } = await promisify(execFile)('ps', ['-axo', 'pid=,ppid=,rss=']);
  const rows = stdout.split('\n').map((line) => line.trim().split(/\s+/).map(Number));
  const kilobytes = new Map(rows.map(([id = 0, , rss = 0]) => [id, rss]));
  const members = membersByParents(pid, new Map(rows.map(([id = 0, parent = 0]) => [id, parent])));
  return members.reduce((sum, member) => sum + (kilobytes.get(member) ?? 0), 0) * 1024;
}

/** A process may end at any moment; what is gone reads as empty. */
function read(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}

function list(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}
