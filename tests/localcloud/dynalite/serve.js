'use strict'

// Listens on a free loopback port, prints it, and ends with the process that started it: its standard input closes then.
const server = require('dynalite')({ createTableMs: 1, deleteTableMs: 1, updateTableMs: 1 })

// dynalite throws when a client goes away in the middle of its request, which clients with time-outs do: that must end the
// request and not the table.
server.prependListener('request', req => {
  const on = req.on
  req.on = (event, listener) => on.call(req, event, event === 'error' ? () => req.destroy() : listener)
})

server.listen(0, '127.0.0.1', () => console.log('port ' + server.address().port))
process.stdin.on('end', () => process.exit(0)).resume()
// Ctrl-C goes to the whole process group: the parent closes this process when its own work is done.
process.on('SIGINT', () => {})
