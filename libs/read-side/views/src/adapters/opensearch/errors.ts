import { MnemeError, mnemeError } from '#platform/kernel';
/** OpenSearch cannot be reached, is overloaded, takes no writes, or lacks the indices. */
export class ViewsUnreachableError extends MnemeError {
  override readonly kind = 'transient';
  override readonly code: string = 'views_unreachable';
  /** Status of the answer, or null without one. */
  readonly status: number | null;

  constructor(
    message: string,
    { status = null, cause }: { readonly status?: number | null; readonly cause?: unknown } = {},
  ) {
    super(message, { cause });
    this.status = status;
  }
}

/** OpenSearch refuses the call because too much is running, or would take more memory than it has. */
export class ViewsOverloadedError extends ViewsUnreachableError {}

/** The indices are missing. A reader works again once they exist; a writer has to be opened again, and replays the log. */
export class ViewsMissingError extends ViewsUnreachableError {
  override readonly code = 'views_missing';
}

/** Another writer has taken over. This one can write no checkpoint, and has to be closed. */
export class FencedError extends mnemeError('fenced', 'fenced') {}

/** The indices were made by another version. */
export class ViewsShapeError extends mnemeError('permanent', 'views_shape') {
  constructor(index: string, found: string, wanted: string) {
    super(
      `the index ${index} has the shape ${found}, this version needs ${wanted}: ` +
        'delete the indices of the views, or name another prefix, and the log is replayed into new ones',
    );
  }
}

/** OpenSearch refuses the call because of a mistake in this program or in the set-up. */
export class EngineRefusalError extends mnemeError('permanent', 'engine_refusal') {
  readonly status: number;
  /** OpenSearch's type of the error, e.g. `resource_already_exists_exception`. */
  readonly type: string;

  constructor(status: number, type: string, reason: string) {
    super(`OpenSearch answered ${status} ${type}: ${reason}`);
    this.status = status;
    this.type = type;
  }
}
