// An agent of your own in TypeScript or JavaScript, with deft as its hands: calls go in as lines, results come out as
// lines. The types are in the comments, so that it runs as it is:
//
//   node exec_from_node.mjs [path of deft]
//
// (The public agent SDK, which drives `deft -p` instead, is in docs/headless.md.)
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

/** @typedef {{ type: string, [key: string]: any }} Line */

const deft = spawn(process.argv[2] ?? "deft", ["exec", "--ask", "host"], { stdio: ["pipe", "pipe", "inherit"] });

/** @param {Line} line */
const send = (line) => deft.stdin.write(JSON.stringify(line) + "\n");

send({
  type: "tools",
  tools: [{ name: "word_count", description: "Counts words.", input_schema: { type: "object", properties: { text: { type: "string" } } } }],
});
// What a model has asked for; `tool_use` blocks of an API's answer fit as they are.
send({ type: "tool_use", id: "1", name: "Bash", input: { command: "echo hello > greeting.txt" } });
send({ type: "tool_use", id: "2", name: "Bash", input: { command: "cat greeting.txt; rm greeting.txt" } });
send({ type: "tool_use", id: "3", name: "word_count", input: { text: "to be or not to be" } });

/** @type {Map<string, string>} */
const results = new Map();
for await (const text of createInterface({ input: deft.stdout })) {
  /** @type {Line} */
  const line = JSON.parse(text);
  if (line.type === "permission_request") send({ type: "permission", id: line.id, decision: "allow" });
  if (line.type === "call") {
    const words = line.input.text.split(/\s+/).length;
    send({ type: "call_result", tool_use_id: line.tool_use_id, content: `${words} words` });
  }
  if (line.type === "tool_result") {
    results.set(line.tool_use_id, line.content);
    console.log(line.tool_use_id, line.content.trim());
    if (results.size === 3) deft.stdin.end(); // no more calls: deft ends
  }
  if (line.type === "done") console.log(`done: ${line.calls} calls, ${line.errors} errors`);
}
const isRight = results.get("2")?.includes("hello") && results.get("3") === "6 words";
process.exitCode = isRight ? 0 : 1;
