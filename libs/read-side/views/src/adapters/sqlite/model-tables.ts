/** The tables of one read model. */
export interface ModelTables {
  readonly name: string;
  /** Raised with every change of the tables or of what is written in them. */
  readonly version: number;
  /** Names of the tables. */
  readonly tables: readonly string[];
  /** SQL that creates them. */
  readonly create: string;
}
