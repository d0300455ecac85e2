import assert from "node:assert"
import { execFileSync } from "node:child_process"
import net from "node:net"
import readline from "node:readline"
import test from "node:test"

test("a call is answered", { timeout: 10_000 }, async () => {
    const push = net.connect(process.env.BELFRY_SOCKET)
    push.write(JSON.stringify({
        aps: { alert: { title: "Anna" }, "mutable-content": 1 },
        info: { type: "call-request", callId: "a" },
    }))
    let end
    for await (const line of readline.createInterface({ input: push })) {
        const event = JSON.parse(line)
        if (event.event === "ringing") execFileSync("belfry", ["answer", "a"])
        if (event.event === "ended") end = event
    }
    assert.equal(end.reason, "answered")
})
