import { mnemeError } from '#platform/kernel';

/** A row that the views refuse, however often it is tried. */
export interface RejectedRow {
  readonly organization: string;
  /** Of the document, or name of the stream that the row of another read model follows from. */
  readonly id: string;
  /** Name of the other read model. Absent: documents. */
  readonly model?: string;
  readonly reason: string;
}

/** The batch was not applied; without the named rows it may be applied again. */
export class RowRejectedError extends mnemeError('permanent', 'rows_rejected') {
  /** At least one; the writer may not have reached the others. */
  readonly rows: readonly RejectedRow[];

  constructor(rows: readonly RejectedRow[]) {
    const reasons = rows.map(({ organization, id, model, reason }) => {
      const what = model === undefined ? `document ${id}` : `the rows of ${id} in the read model ${model}`;
      return `${what} of organization ${organization}: ${reason}`;
    });
    super(`the views refuse ${reasons.join('; ')}`);
    this.rows = rows;
  }
}

/**
 * The log has not been read to its end for a read model that was created or changed lately, or a process ended before it had
 * created it. It may be asked again.
 */
export class ReadModelBuildingError extends mnemeError('transient', 'read_model_building') {
  constructor(model: string) {
    super(`The read model ${model} is being built from the log. Try again later.`);
  }
}
