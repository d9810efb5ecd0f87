export {
  type BegunConnection,
  ConnectionFlows,
  type PermittedConnection,
  type PickerLink,
} from './connection-flows.ts';
