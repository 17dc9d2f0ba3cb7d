// What programs may try in a sandbox. `$SECRET` is a file outside with the text `the secret`, `$SHARED` a folder that they may read,
// with `open.txt`, `hidden.txt` and `hidden/`; `$PORT` a port of a server outside, which answers `the secret`.

/** Each attempt prints what it gained; an honest sandbox lets it gain nothing. */
export const attempts = {
  read: {
    'a file outside': 'cat $SECRET',
    'a file outside, by a link': 'ln -s $SECRET link; cat link',
    'a file outside, by a path upwards': 'cd /work && cat ../..$SECRET',
    'a file outside, by the root of a process': 'for p in /proc/[0-9]*; do cat $p/root$SECRET; done',
    'a file outside, by the folder of a process': 'for p in /proc/[0-9]*; do cat $p/cwd/secret.txt; done',
    'a hidden file': 'cat $SHARED/hidden.txt',
    'a file in a hidden folder': 'cat $SHARED/hidden/file.txt',
    'a hidden file, by another name': 'cat $SHARED/../$(basename $SHARED)/hidden.txt',
    'a hidden file, once what hides it is taken away': 'umount $SHARED/hidden.txt; cat $SHARED/hidden.txt',
    'a hidden file, as root of a namespace': 'unshare -Urm sh -c "umount $SHARED/hidden.txt; cat $SHARED/hidden.txt"',
    'files that were open': 'for f in /proc/self/fd/*; do case $f in */[012]) ;; *) [ -f $f ] && cat $f; esac; done',
    'variables of its parents': 'cat /proc/[0-9]*/environ | tr "\\0" "\\n" | grep -o "the secret"',
    'its own variables': 'env | grep -o "the secret"',
    accounts: 'cat /etc/passwd /etc/shadow',
    'memory and disks': 'cat /dev/mem /dev/sda /dev/vda | head -c 9',
    'processes outside': 'for p in /proc/[0-9]*; do tr "\\0" " " < $p/cmdline; done | grep -o "attempts[.]js"',
  },
  write: {
    'system programs': 'echo gained > /usr/gained; cat /usr/gained',
    'the root': 'echo gained > /gained; cat /gained',
    'a folder that it may read': 'echo gained > $SHARED/gained; cat $SHARED/gained',
    'a mounted folder, mounted again': 'mount -o remount,rw /usr; echo gained > /usr/gained; cat /usr/gained',
    'settings of the system': 'echo gained > /proc/sys/kernel/hostname; hostname | grep -o gained',
    devices: 'echo gained > /dev/gained; cat /dev/gained',
    'rights of another user': 'cp /bin/id id; chmod 6755 id; ./id -u | grep -x 0; su -c id',
  },
  network: {
    'a server of this machine': perl('print <$s>', 'PeerAddr => "127.0.0.1", PeerPort => $ENV{PORT}'),
    'a server of the Internet': perl('print "gained"', 'PeerAddr => "1.1.1.1", PeerPort => 53, Timeout => 2'),
    'a name server': `perl -MSocket -e 'socket(S,PF_INET,SOCK_DGRAM,0); print "gained" if send(S,"x",0,sockaddr_in(53,inet_aton("1.1.1.1")))'`,
    'a packet of its own': `perl -MSocket -e 'print "gained" if socket(S,PF_INET,SOCK_RAW,1)'`,
    'an address of its own': 'ip link set lo up && ip addr add 10.0.0.1/8 dev lo && echo gained',
    'a hidden socket of this machine': `perl -MSocket -e 'socket(S,PF_UNIX,SOCK_STREAM,0); print "gained" if connect(S,pack("Sxa*",AF_UNIX,"agentgym-attempt"))'`,
  },
};

/** Each attempt goes beyond a limit. The second part is what ends it; absent: the program ends itself, having gained nothing. */
export const excesses = {
  'loops without end': ['while :; do :; done', 'seconds'],
  'sleeps, and hears no signal': ["trap '' TERM INT HUP; sleep 3600 & wait; sleep 3600", 'seconds'],
  'takes memory': [`perl -e '$x = "x" x (1 << 20); push @y, $x . $_ for 1 .. 4000; sleep 9'`, 'memory'],
  'takes memory in many processes': [
    `for i in 1 2 3 4 5 6 7 8; do perl -e '$x = "x" x (60 << 20); sleep 9' & done; wait`,
    'memory',
  ],
  'writes without end': ['yes', 'output'],
  'writes errors without end': ['yes >&2', 'output'],
  'starts processes without end': [`perl -e 'while (1) { fork }'`, ['processes', 'seconds']],
  'starts processes that leave its group': [
    `while :; do setsid sleep 3600 & done`,
    ['processes', 'seconds', undefined],
  ],
  'fills the disk': ['yes > full; wc -c < full', ['seconds', undefined]],
  'makes files without end': [`perl -e 'for (1 .. 1e7) { open(F, ">", $_) or last } sleep 9'`, 'files'],
  'kills everything': ['kill -9 -1; kill -9 1; sleep 3600', ['seconds', undefined]],
};

function perl(then, where) {
  return `perl -MIO::Socket::INET -e 'my $s = IO::Socket::INET->new(${where}) or exit; ${then}'`;
}
