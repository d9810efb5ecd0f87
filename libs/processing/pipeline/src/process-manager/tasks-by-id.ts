import type { Task } from './task.ts';

type Name = Pick<Task, 'organization' | 'id'>;

/** Tasks by organization and id of their document. */
export class TasksById {
  readonly #organizations = new Map<string, Map<string, Task>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get({ organization, id }: Name): Task | undefined {
    return this.#organizations.get(organization)?.get(id);
  }

  /** The document must have none. */
  add(task: Task): void {
    const tasks = this.#organizations.get(task.organization) ?? new Map<string, Task>();
    this.#organizations.set(task.organization, tasks);
    tasks.set(task.id, task);
    this.#size += 1;
  }

  delete({ organization, id }: Name): void {
    const tasks = this.#organizations.get(organization);
    if (!tasks?.delete(id)) return;
    this.#size -= 1;
    if (tasks.size === 0) this.#organizations.delete(organization);
  }

  filter(isWanted: (task: Task) => boolean): Task[] {
    return [...this.#organizations.values()].flatMap((tasks) => [...tasks.values()].filter(isWanted));
  }
}
