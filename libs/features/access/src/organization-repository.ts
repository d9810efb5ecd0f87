import { newId, type OrganizationId, ok, type Result } from '#platform/kernel';
import { type Cause, type CommandHandler, type Model, record } from '#ports/event-store';
import type { KnownOrganizations } from './known-organizations.ts';
import {
  type ChangeRefusal,
  type DeleteRefusal,
  decideChange,
  decideDeleted,
  decideDeletion,
  decideFound,
  foldOrganization,
  initialOrganization,
  ORGANIZATION_EVENTS,
  type Organization,
  type OrganizationChanges,
  type OrganizationEvent,
  type OrganizationState,
  organizationStream,
} from './organization.ts';

const MODEL: Model<OrganizationState> = {
  name: 'organization',
  version: 1,
  initialState: initialOrganization,
  evolve: foldOrganization,
};

/** Founds, changes and deletes organizations. It counts in this process before the call resolves. */
export class OrganizationRepository {
  readonly #handler: CommandHandler;
  readonly #known: KnownOrganizations;

  constructor(handler: CommandHandler, known: KnownOrganizations) {
    this.#handler = handler;
    this.#known = known;
  }

  async found(cause: Cause, name: string): Promise<Organization> {
    const state = await this.#execute<never>(newId() as OrganizationId, cause, () => ok(decideFound(name)));
    if (!state.ok) throw state.error;
    return present(state.value);
  }

  async change(cause: Cause, id: string, changes: OrganizationChanges): Promise<Result<Organization, ChangeRefusal>> {
    const state = await this.#execute(id as OrganizationId, cause, (before) => decideChange(before, changes));
    return state.ok ? ok(present(state.value)) : state;
  }

  /** Has an organization deleted, which goes on after the call. */
  async delete(cause: Cause, id: string): Promise<Result<Organization, DeleteRefusal>> {
    const isLeft = (one: Organization) => one.id !== id && one.state !== 'deleting';
    const isLast = !this.#known.all().some(isLeft);
    const state = await this.#execute(id as OrganizationId, cause, (before) => decideDeletion(before, isLast));
    return state.ok ? ok(present(state.value)) : state;
  }

  /** Records that nothing is left of an organization, and erases its name. */
  async end(cause: Cause, id: OrganizationId): Promise<void> {
    await this.#execute<never>(id, cause, (state) => ok(decideDeleted(state)), { erase: true });
  }

  async #execute<E>(
    organization: OrganizationId,
    cause: Cause,
    decide: (state: OrganizationState) => Result<readonly OrganizationEvent[], E>,
    { erase = false } = {},
  ): Promise<Result<OrganizationState, E>> {
    const done = await this.#handler.execute<OrganizationState, E>({
      ...{ stream: organizationStream(organization), model: MODEL },
      decide: (state, _revision, now) => {
        const decided = decide(state);
        if (!decided.ok) return decided;
        const events = record(ORGANIZATION_EVENTS, decided.value, { organization, cause, tags: [], now });
        return ok(erase && events.length > 0 ? { events, erase } : events);
      },
    });
    if (!done.ok) return done;
    const { state, revision } = done.value;
    if (revision !== 'no-stream') this.#known.set(organization, state, revision);
    return ok(state);
  }
}

function present(state: OrganizationState): Organization {
  if (state.status !== 'present') throw new Error('the organization is not there');
  return state.organization;
}
