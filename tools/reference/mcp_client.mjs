// Tries a server with the official TypeScript SDK: node mcp_client.mjs PATH_OF_HIPPO FOLDER_OF_NODE_MODULES
import { createRequire } from 'node:module';
import { join } from 'node:path';

const [, , hippo, modules] = process.argv;
const load = createRequire(join(modules, 'here.js'));
const { Client } = load('@modelcontextprotocol/sdk/client/index.js');
const { StdioClientTransport } = load('@modelcontextprotocol/sdk/client/stdio.js');

const client = new Client({ name: 'interop', version: '1' });
await client.connect(new StdioClientTransport({ command: hippo, args: ['serve', '--store', 'memory:'] }));
const { tools } = await client.listTools();
await client.callTool({ name: 'hippo_record_insight', arguments: { content: 'Retries need jitter', situation: ['debugging outages'], importance: 0.6 } });
const found = await client.callTool({ name: 'hippo_search_insights', arguments: { query: 'jitter' } });
if (found.isError || !found.content[0].text.includes('Retries need jitter') || found.structuredContent) {
  throw new Error(JSON.stringify(found));
}
console.log(`typescript: ${tools.length} tools, recorded and found`);
await client.close();
