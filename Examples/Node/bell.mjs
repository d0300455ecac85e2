import { spawn } from "node:child_process"
import readline from "node:readline"

export async function bell(test) {
    const serve = spawn("belfry", ["serve"], { stdio: ["ignore", "pipe", "inherit"] })
    test.after(() => serve.kill())
    const lines = readline.createInterface({ input: serve.stdout })[Symbol.asyncIterator]()
    const variables = [await lines.next(), await lines.next(), await lines.next()].map((line) => line.value)
    return { ...process.env, ...Object.fromEntries(variables.map((line) => line.split(/=(.*)/s, 2))) }
}
