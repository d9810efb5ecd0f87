import type { Caller } from '#kernel';

/** Answers about the server and the key. The classes are types only; none is instantiated. */

export class Service {
  readonly status!: 'ok';
  readonly name!: string;
  readonly version!: string;
}

export class HealthReport {
  readonly status!: 'ok' | 'degraded';
  readonly version!: string;
  readonly search!: { readonly lexical: boolean; readonly vectors: boolean; readonly model: string | null };
  readonly model!: { readonly state: string };
  readonly views!: { readonly rebuilding: boolean };
  readonly storage!: { readonly writable: boolean };
  /** External engines that do not answer. */
  readonly unreachable!: readonly ('log' | 'bus' | 'views')[];
}

export class PermittedTag {
  readonly containerTag!: string;
  readonly permission!: 'read' | 'write';
}

export class Session {
  readonly user!: { readonly id: string };
  readonly org!: { readonly id: string };
  readonly role!: 'owner' | 'admin' | 'member';
  readonly accessType!: 'full' | 'restricted';
  readonly containerTags!: readonly PermittedTag[] | null;
  readonly scope!: { readonly type: 'full' | 'scoped'; readonly tags?: readonly string[] };
}

export const session = ({ keyId, organization, role, tags }: Caller): Session => ({
  user: { id: keyId },
  org: { id: organization },
  role,
  accessType: tags === 'all' ? 'full' : 'restricted',
  containerTags: tags === 'all' ? null : tags.map((containerTag) => ({ containerTag, permission: 'read' })),
  scope: tags === 'all' ? { type: 'full' } : { type: 'scoped', tags },
});
