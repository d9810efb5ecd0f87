/** What protects the tool server. A type only; it is not instantiated. */
export class ProtectedResource {
  /** Address of the tool server. */
  readonly resource!: string;
  /** Name of the product. */
  readonly resource_name!: string;
  /** How a key is sent: `header`, as `Authorization: Bearer`. */
  readonly bearer_methods_supported!: readonly string[];
  /** Address of the description of the API. */
  readonly resource_documentation!: string;
}
