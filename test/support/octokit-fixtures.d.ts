/** The package has no types. */
declare module '@octokit/fixtures' {
  const fixtures: { get(scenario: string): unknown[] };
  export default fixtures;
}
