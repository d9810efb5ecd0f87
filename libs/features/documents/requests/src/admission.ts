import type { OrganizationQuotas, TakenAdds, WantedAdds } from '#features/quotas';
import type { OrganizationId } from '#platform/kernel';

/** How much waits to be processed. */
export interface Backlog {
  /** Whether so much waits that another document, or another `adding` documents, are refused for a while. */
  full(adding?: number): boolean;
}

/** Knows whether the stores can take another document. */
export interface StorageGuard {
  /** @throws StorageFullError if what is left is reserved for deletions; a transient error if a store is missing */
  assertWritable(): void;
}

/** Takes what a request adds of the quotas of its organization; a second call changes nothing. @throws QuotaExceededError */
export type Take = (wanted: WantedAdds) => Promise<void>;

const takeNothing: Take = async () => {};

/** Decides whether requests that write are carried out now. */
export class Admission {
  readonly #backlog: Backlog;
  readonly #storage: StorageGuard;
  readonly #quotas: Pick<OrganizationQuotas, 'areSet' | 'take' | 'check'>;

  constructor(backlog: Backlog, storage: StorageGuard, quotas: Pick<OrganizationQuotas, 'areSet' | 'take' | 'check'>) {
    this.#backlog = backlog;
    this.#storage = storage;
    this.#quotas = quotas;
  }

  /**
   * Carries out a request that adds.
   * @param work calls what it is given before it changes anything. @param addedBy how many the result has added
   * @throws QuotaExceededError
   */
  async adding<T>(
    organization: OrganizationId,
    work: (take: Take) => Promise<T>,
    addedBy: (result: T) => number,
  ): Promise<T> {
    if (!this.#quotas.areSet(organization)) return work(takeNothing);
    let taken: TakenAdds | null = null;
    const take: Take = async (wanted) => {
      taken ??= await this.#quotas.take(organization, wanted);
    };
    let added = 0;
    try {
      const result = await work(take);
      added = addedBy(result);
      return result;
    } finally {
      // TypeScript does not see that the work assigns it.
      (taken as TakenAdds | null)?.end(added);
    }
  }

  /** For a request that may add bytes to what is there. @throws QuotaExceededError, and as `StorageGuard.assertWritable` */
  async assertGrowable(organization: OrganizationId): Promise<void> {
    if (this.#quotas.areSet(organization)) await this.#quotas.check(organization);
    this.assertWritable();
  }

  /**
   * Returns why a request is refused for a while, or null.
   * @param documents that it adds
   * @throws as `assertWritable`
   */
  refusal(documents?: number): 'backlog_full' | null {
    if (this.#backlog.full(documents)) return 'backlog_full';
    this.assertWritable();
    return null;
  }

  /** For a request that adds nothing. @throws as `StorageGuard.assertWritable` */
  assertWritable(): void {
    this.#storage.assertWritable();
  }
}
