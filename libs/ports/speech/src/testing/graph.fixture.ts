/** Runs a small graph: the runtime takes no arrays that the test runner makes. */
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { Graph } from '../onnx/graph.ts';

const graph = new Graph();
const x = graph.input('x', [1, 'length', 2]);
const weights = graph.constant(Float32Array.of(1, 2, 3, 4), [2, 2]);
const turned = graph.node('Transpose', [graph.node('MatMul', [x, weights])], { perm: [0, 2, 1] });
graph.output(graph.node('Add', [turned, graph.number(-0.5)], {}, { name: 'y' }), [1, 2, 'length']);
const session = await InferenceSession.create(graph.encode());
const { y } = await session.run({ x: new Tensor('float32', Float32Array.of(1, 0, 0, 1, 1, 1), [1, 3, 2]) });
console.log(JSON.stringify({ dims: y!.dims, data: [...(y!.data as Float32Array)] }));
