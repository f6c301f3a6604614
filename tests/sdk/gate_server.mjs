// An MCP server with a tool that decides about calls, as its argument says: allow, change, deny, nonsense, die.
import {McpServer} from '@modelcontextprotocol/sdk/server/mcp.js';
import {StdioServerTransport} from '@modelcontextprotocol/sdk/server/stdio.js';
import fs from 'node:fs';
import {z} from 'zod';

const [how, log] = process.argv.slice(2);
const server = new McpServer({name: 'gate', version: '1.0.0'});
const question = {tool_name: z.string(), input: z.object({}).passthrough(), tool_use_id: z.string().optional()};
server.tool('approve', 'Decides about a call', question, async ({tool_name, input, tool_use_id}) => {
  fs.appendFileSync(log, JSON.stringify({tool_name, input, tool_use_id}) + '\n');
  if (how === 'die') process.exit(1);
  const answers = {
    allow: {behavior: 'allow', updatedInput: input},
    change: {behavior: 'allow', updatedInput: {...input, command: 'touch changed'}},
    deny: {behavior: 'deny', message: 'the gate is closed'},
  };
  return {content: [{type: 'text', text: how === 'nonsense' ? 'perhaps' : JSON.stringify(answers[how])}]};
});
server.tool('other', 'Says hello', {}, async () => ({content: [{type: 'text', text: 'hello'}]}));
await server.connect(new StdioServerTransport());
