// Opens a file with speedscope's own importers, and prints what that took. See bench_formats.py.
import {readFileSync} from 'fs'
import {importProfilesFromArrayBuffer} from './src/import'

const path = process.argv[2]
console.log = () => {}
const before = process.cpuUsage()
const raw = readFileSync(path)
const buffer = raw.buffer.slice(raw.byteOffset, raw.byteOffset + raw.byteLength) as ArrayBuffer
importProfilesFromArrayBuffer(path.split('/').pop() as string, buffer).then(group => {
  if (!group) throw new Error('not recognised')
  const used = process.cpuUsage(before)
  const peak = process.resourceUsage().maxRSS * 1024
  process.stdout.write(JSON.stringify({cpu_s: (used.user + used.system) / 1e6, peak_bytes: peak}))
})
