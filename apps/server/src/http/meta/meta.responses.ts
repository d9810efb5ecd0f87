import type { OrganizationQuotas, QuotaName, QuotaUse } from '#features/quotas';
import type { Session as SessionOfBrowser } from '#features/sessions';
import type { Member } from '#features/team';
import { isoTime, mayCall, type Principal } from '#platform/kernel';
import type { Membership } from '../account/account.responses.ts';
import type { Count } from '../openapi/scalars.ts';
import { type SessionRecord, sessionRecord } from '../sessions/sessions.responses.ts';

/** Answers about the server and the key. The classes are types only; none is instantiated. */

/** Name and version of the server. */
export class Service {
  /** Always `ok`. */
  readonly status!: 'ok';
  /** Name of the product. */
  readonly name!: string;
  /** Version of the server. */
  readonly version!: string;
}

/** State of the embedding model. */
export class ModelHealth {
  /** `idle`: nothing has needed it for a while. `fetching`: it is being downloaded. `unavailable`: no source has it, and the server tries again. */
  readonly state!: 'off' | 'idle' | 'fetching' | 'loading' | 'ready' | 'unavailable';
  /** Where it is downloaded from. */
  readonly source?: string;
  /** Bytes that have arrived. */
  readonly receivedBytes?: Count;
  /** Bytes of the download. */
  readonly totalBytes?: Count;
  /** The space of its vectors, when it is ready. */
  readonly space?: { readonly name: string; readonly dimensions: number };
  /** Why it is unavailable. */
  readonly reason?: string;
}

/** What files are read with, beside the code of the server. */
export class ExtractionHealth {
  /** Weights for text in pictures, by Tesseract's names of languages, for each language of the settings. */
  readonly ocr!: readonly { readonly language: string; readonly state: 'present' | 'missing' }[];
  /** The model for speech. */
  readonly whisper!: 'present' | 'missing';
  /** The program for sound and video. */
  readonly ffmpeg!: 'present' | 'missing';
}

/** State of the server and its engines, at most one second old. */
export class HealthReport {
  /** `degraded` while a part does not work or the views are rebuilt. */
  readonly status!: 'ok' | 'degraded';
  /** Version of the server. */
  readonly version!: string;
  /**
   * Whether searches go by words (`lexical`) and by meaning (`vectors`), the vector space that serves them, and how `rerank`
   * compares at present; null: it has no effect.
   */
  readonly search!: {
    readonly lexical: boolean;
    readonly vectors: boolean;
    readonly model: string | null;
    readonly rerank: 'maxsim' | 'cross-encoder' | null;
  };
  readonly model!: ModelHealth;
  /** The model for other languages than English, and its vector space. */
  readonly languages!: { readonly space: string; readonly model: ModelHealth };
  /** Whether the views are being rebuilt. */
  readonly views!: { readonly rebuilding: boolean };
  /** Whether there is enough free disk space for adds. */
  readonly storage!: { readonly writable: boolean };
  /** External engines that do not answer. */
  readonly unreachable!: readonly ('log' | 'bus' | 'views')[];
  /**
   * What holds data and does not exist: streams on NATS, without which all adds are answered with 503, or the folder `blobs/`,
   * without which adds of files and long texts are.
   */
  readonly missing!: readonly string[];
  /**
   * When more than ten documents were found without their content within a minute, and how many at that moment. The views
   * have stopped since. Null: they have not.
   */
  readonly contentLoss!: { readonly since: string; readonly documents: Count } | null;
  /** Deletions of which files, vectors or keys could not be removed yet. Each is repeated; no answer shows them. */
  readonly failingErasures!: Count;
  /** Streams of which a list lacks what the views have refused. A replay writes it again. */
  readonly leftOutRows!: Count;
  /**
   * Stored secrets that no present master key opens: what they belong to has to be signed in again. They do not degrade the
   * status.
   */
  readonly closedSecrets!: Count;
  /** What is missing does not degrade the status. Null: other processes read the files. */
  readonly extraction!: ExtractionHealth | null;
}

/** A container tag of a key with limited tags. */
export class PermittedTag {
  /** The tag. */
  readonly containerTag!: string;
  /** What the key may do with the tag. */
  readonly permission!: 'read' | 'write';
}

/** A quota without a reset: what is deleted makes room. */
export class StoredQuota {
  /** At most so much. */
  readonly limit!: Count;
  /** So much is there. */
  readonly used!: Count;
}

/** A quota of a day or a month (UTC). */
export class PeriodicQuota {
  /** At most so much in the day or the month. */
  readonly limit!: Count;
  /** So much was used in the present one. */
  readonly used!: Count;
  /** When it ends. */
  readonly resetsAt!: string;
}

/** The quotas of an organization, without those that the operator has not set. */
export class QuotaUsage {
  /** Documents at the same time. */
  readonly documents?: StoredQuota;
  /** Bytes of files and characters of texts, as they were sent. */
  readonly storedBytes?: StoredQuota;
  /** New documents, and memories sent to be recorded, in a day. */
  readonly addsPerDay?: PeriodicQuota;
  /** Tokens of passages that got vectors in a month. */
  readonly tokensPerMonth?: PeriodicQuota;
}

/** Owner and permissions of the key or the session of the request. */
export class Session {
  /** The member whose key it is, with the name if it is known; or the key itself, if it belongs to the organization. */
  readonly user!: { readonly id: string; readonly email?: string; readonly name?: string };
  /** The organization that owns all data of the key. */
  readonly org!: { readonly id: string };
  /** Role of the key. */
  readonly role!: 'owner' | 'admin' | 'member';
  /** `restricted` if the key is limited to some tags. */
  readonly accessType!: 'full' | 'restricted';
  /** The tags of the key, or null if it is not limited. */
  readonly containerTags!: readonly PermittedTag[] | null;
  /** The same in another form: `scoped` with the tags, or `full`. */
  readonly scope!: {
    readonly type: 'full' | 'scoped';
    /** `read`: the key changes nothing. */
    readonly permission: 'read' | 'write';
    readonly tags?: readonly string[];
  };
  /** What is used of the quotas of the organization. Only full keys see them; absent: there are none. */
  readonly quotas?: QuotaUsage;
  /** The session of the browser. Absent: the request came with a key. */
  readonly session?: SessionRecord;
  /** The organizations in which the person can go on. Only of a session by OpenID Connect. */
  readonly memberships?: readonly Membership[];
}

interface SessionParts {
  /** Whose key or session it is. Null: it belongs to the organization. */
  readonly member: Member | null;
  /** Null: there are no quotas to show. */
  readonly usage: Awaited<ReturnType<OrganizationQuotas['usage']>>;
  /** Null: the request came with a key. */
  readonly of: SessionOfBrowser | null;
  /** Null: the person cannot switch. */
  readonly memberships: readonly Membership[] | null;
}

export function session(principal: Principal, { member, usage, of, memberships }: SessionParts): Session {
  const { keyId, organization, role, tags, writableTags } = principal;
  const permission = mayCall(principal, 'write') ? 'write' : 'read';
  const user = member === null ? { id: keyId } : personOf(member);
  const quotas = usage === null ? {} : { quotas: quotaUsage(usage) };
  const own = of === null ? {} : { session: sessionRecord(of), ...(memberships !== null && { memberships }) };
  const common = { user, org: { id: organization }, role, ...quotas, ...own };
  if (tags === 'all') {
    return { ...common, accessType: 'full', containerTags: null, scope: { type: 'full', permission } };
  }
  const permitted = (containerTag: string): PermittedTag => ({
    containerTag,
    permission: writableTags === 'all' || writableTags.includes(containerTag) ? 'write' : 'read',
  });
  const scope = { type: 'scoped' as const, permission, tags } as const;
  return { ...common, accessType: 'restricted', containerTags: tags.map(permitted), scope };
}

function quotaUsage(usage: Readonly<Partial<Record<QuotaName, QuotaUse>>>): QuotaUsage {
  const shown = Object.entries(usage).map(([name, { resetsAt, ...use }]) => [
    name,
    resetsAt === null ? use : { ...use, resetsAt: isoTime(resetsAt) },
  ]);
  return Object.fromEntries(shown) as QuotaUsage;
}

const personOf = ({ id, email, name }: Member): Session['user'] => ({ id, email, ...(name !== null && { name }) });
