import { mnemeError, type OrganizationId } from '#platform/kernel';
import { FollowedStates, type NewEvent, type RecordedEvent } from '#ports/event-store';
import {
  foldOrganization,
  initialOrganization,
  type Organization,
  type OrganizationState,
  organizationIn,
} from './organization.ts';

/** The actor of an event that a caller has asked for. */
const CALLER = /^(key|member):/;

/** A caller wrote to an organization that is being deleted. */
class OrganizationGoneError extends mnemeError(undefined, 'organization_gone') {}

/** The organizations of the log in memory. */
export class KnownOrganizations {
  readonly #states = new FollowedStates<OrganizationState>({
    ...{ idIn: organizationIn, initialState: initialOrganization, evolve: foldOrganization },
  });

  /** As of `FollowedStates`. */
  apply(event: RecordedEvent): void {
    this.#states.apply(event);
  }

  /** As of `FollowedStates`. */
  set(id: string, state: OrganizationState, revision: number): void {
    this.#states.set(id, state, revision);
  }

  /** The one that was founded first, also if it was deleted. Null: the log has none yet. */
  first(): OrganizationId | null {
    const [first] = this.#states.entries();
    return first === undefined ? null : (first[0] as OrganizationId);
  }

  /** Those that are not deleted; the first founded first. */
  all(): readonly Organization[] {
    const all = this.#states.states().flatMap((one) => (one.status === 'present' ? [one.organization] : []));
    return all.sort((a, b) => a.createdAt - b.createdAt);
  }

  /** Those of which everything is erased. */
  deleted(): readonly OrganizationId[] {
    return this.#states.entries().flatMap(([id, { status }]) => (status === 'deleted' ? [id as OrganizationId] : []));
  }

  /** Whether there are several, those that are being deleted included. */
  areSeveral(): boolean {
    return this.all().length > 1;
  }

  /** `gone`: it is being deleted, or it is deleted. */
  stateOf(id: OrganizationId): 'active' | 'suspended' | 'gone' {
    const known = this.#states.get(id);
    if (known === undefined) return 'active';
    if (known.status !== 'present' || known.organization.state === 'deleting') return 'gone';
    return known.organization.state;
  }

  /** Returns an error if one of the events is a change that a caller makes in an organization that is gone, else null. */
  refusal(events: readonly NewEvent[]): Error | null {
    const isRefused = ({ envelope: { actor, organization } }: NewEvent) =>
      CALLER.test(actor) && this.stateOf(organization) === 'gone';
    return events.some(isRefused) ? new OrganizationGoneError('the organization is being deleted') : null;
  }
}
