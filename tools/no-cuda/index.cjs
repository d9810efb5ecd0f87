/**
 * The first call of onnxruntime-node's install script, and the only use of global-agent. The script would download 200 MB of
 * libraries for graphics cards, which are not used, and fail without a network. npm has no setting for it that all of its
 * versions accept without a warning.
 */
exports.bootstrap = () => process.exit(0);
