#!/usr/bin/env python3
"""An agent of your own in Python, with deft as its hands: calls go in as lines, results come out as lines.

    python3 exec_from_python.py [path of deft]

deft runs what does not disturb each other side by side, asks us about the rest (--ask host), and runs a tool of our own
(word_count) by asking us for its result.
"""
import json
import subprocess
import sys


class Deft:
    def __init__(self, program="deft"):
        self.process = subprocess.Popen([program, "exec", "--ask", "host"], text=True, bufsize=1,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def send(self, **line):
        self.process.stdin.write(json.dumps(line) + "\n")

    def lines(self):
        for line in self.process.stdout:
            yield json.loads(line)


def main():
    deft = Deft(*sys.argv[1:2])
    deft.send(type="tools", tools=[{"name": "word_count", "description": "Counts words.",
                                    "input_schema": {"type": "object", "properties": {"text": {"type": "string"}}}}])
    # What a model has asked for; `tool_use` blocks of an API's answer fit as they are.
    deft.send(type="tool_use", id="1", name="Bash", input={"command": "echo hello > greeting.txt"})
    deft.send(type="tool_use", id="2", name="Bash", input={"command": "cat greeting.txt; rm greeting.txt"})
    deft.send(type="tool_use", id="3", name="word_count", input={"text": "to be or not to be"})
    deft.process.stdin.flush()

    results = {}
    for line in deft.lines():
        if line["type"] == "permission_request":
            deft.send(type="permission", id=line["id"], decision="allow")
        elif line["type"] == "call":
            words = len(line["input"]["text"].split())
            deft.send(type="call_result", tool_use_id=line["tool_use_id"], content=f"{words} words")
        elif line["type"] == "tool_result":
            results[line["tool_use_id"]] = line
            print(line["tool_use_id"], line["content"].strip())
            if len(results) == 3:
                deft.process.stdin.close()  # no more calls: deft ends
        elif line["type"] == "done":
            print("done:", line["calls"], "calls,", line["errors"], "errors")
    right = "hello" in results["2"]["content"] and results["3"]["content"] == "6 words"
    return deft.process.wait() if right else 1


if __name__ == "__main__":
    sys.exit(main())
