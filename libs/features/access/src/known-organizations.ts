import { mnemeError, type OrganizationId } from '#platform/kernel';
import type { NewEvent, RecordedEvent } from '#ports/event-store';
import {
  foldOrganization,
  initialOrganization,
  type Organization,
  type OrganizationState,
  organizationIn,
} from './organization.ts';

/** A caller wrote to an organization that is being deleted. */
class OrganizationGoneError extends mnemeError(undefined, 'organization_gone') {}

/** The organizations of the log in memory. */
export class KnownOrganizations {
  readonly #states = new Map<string, OrganizationState>();
  /** Of the last event that is in a state. */
  readonly #revisions = new Map<string, number>();

  /** Takes an event of the log. Those that are known and those of other streams change nothing. */
  apply(event: RecordedEvent): void {
    const id = organizationIn(event.stream);
    if (id === null || event.revision <= (this.#revisions.get(id) ?? -1)) return;
    this.set(id, foldOrganization(this.#states.get(id) ?? initialOrganization, event), event.revision);
  }

  /** Takes the state of an organization, unless a later one is known already. @param revision of its last event */
  set(id: string, state: OrganizationState, revision: number): void {
    if (revision < (this.#revisions.get(id) ?? -1)) return;
    this.#revisions.set(id, revision);
    this.#states.set(id, state);
  }

  /** The one that was founded first, also if it was deleted. Null: the log has none yet. */
  first(): OrganizationId | null {
    const [first = null] = this.#states.keys();
    return first as OrganizationId | null;
  }

  /** Those that are not deleted; the first founded first. */
  all(): readonly Organization[] {
    const all = [...this.#states.values()].flatMap((one) => (one.status === 'present' ? [one.organization] : []));
    return all.sort((a, b) => a.createdAt - b.createdAt);
  }

  /** Those of which everything is erased. */
  deleted(): readonly OrganizationId[] {
    return [...this.#states].flatMap(([id, { status }]) => (status === 'deleted' ? [id as OrganizationId] : []));
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
      actor.startsWith('key:') && this.stateOf(organization) === 'gone';
    return events.some(isRefused) ? new OrganizationGoneError('the organization is being deleted') : null;
  }
}
