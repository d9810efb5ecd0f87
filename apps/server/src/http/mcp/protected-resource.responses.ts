/** What protects the tool server. A type only; it is not instantiated. */
export class ProtectedResource {
  /** Address of the tool server. */
  readonly resource!: string;
  /** Name of the product. */
  readonly resource_name!: string;
  /** Who gives tokens. Absent: nobody does. */
  readonly authorization_servers?: readonly string[];
  /** What tokens can permit. Absent: nobody gives any. */
  readonly scopes_supported?: readonly string[];
  /** How a key is sent: `header`, as `Authorization: Bearer`. */
  readonly bearer_methods_supported!: readonly string[];
  /** Address of the description of the API. */
  readonly resource_documentation!: string;
}
