package ingest

import (
	"archive/zip"
	"bufio"
	"encoding/binary"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"math"
	"os"
	"strings"

	"github.com/klauspost/compress/flate"
)

// Signatures of a zip archive: APPNOTE, sections 4.3.7, 4.3.9 and 4.3.12.
const (
	zipLocal      = "PK\x03\x04"
	zipDescriptor = "PK\x07\x08"
	zipCentral    = "PK\x01\x02"
)

// Methods of compression: APPNOTE, section 4.4.5.
const (
	zipStored  = 0
	zipDeflate = 8
	zipZstd    = 93
)

// zipError says what about a zip archive is not read, in words.
type zipError struct{ reason string }

func (e *zipError) Error() string { return e.reason }

// zipReader reads the one file of a zip archive front to back, so that a pipe will do. Directories are
// passed over; another file is an error, for its requests would be missing.
type zipReader struct {
	r    *bufio.Reader
	data io.ReadCloser // the file's
	left *io.LimitedReader
	sum  hash.Hash32
	size uint64
	head zipHeader
	err  error
}

// zipHeader is what the header in front of a file says.
type zipHeader struct {
	flags, method uint16
	sum           uint32
	packed, size  uint64
	wide          bool // sizes have 8 bytes
	name          string
}

// later says that sum and sizes stand behind the file.
func (h *zipHeader) later() bool { return h.flags&8 != 0 }

func openZip(r *bufio.Reader) (io.ReadCloser, error) {
	z := &zipReader{r: r, sum: crc32.NewIEEE()}
	for {
		var err error
		if z.head, err = readZipHeader(r); err != nil {
			return nil, err
		}
		if !strings.HasSuffix(z.head.name, "/") || z.head.size > 0 {
			break
		}
		if next, _ := r.Peek(4); string(next) != zipLocal {
			return nil, &zipError{"the zip archive holds no file"}
		}
	}
	h := &z.head
	if h.flags&1 != 0 {
		return nil, &zipError{"the file in the zip archive is encrypted; unpack it first"}
	}
	if h.later() && h.method != zipDeflate {
		return nil, &zipError{"the zip archive does not say in front how long its file is; unpack it first (unzip -p FILE | keyskew)"}
	}
	z.left = &io.LimitedReader{R: r, N: int64(min(h.packed, math.MaxInt64))}
	switch h.method {
	case zipStored:
		z.data = io.NopCloser(z.left)
	case zipDeflate:
		z.data = flate.NewReader(r) // takes single bytes from r, so none too many
	case zipZstd:
		d, err := openZstd(z.left)
		if err != nil {
			return nil, err
		}
		z.data = d
	default:
		return nil, &zipError{fmt.Sprintf("the zip archive is packed by a method that is not read here (%d); unpack it first (unzip -p FILE | keyskew)", h.method)}
	}
	return z, nil
}

// readZipHeader reads what stands in front of a file: APPNOTE, section 4.3.7.
func readZipHeader(r *bufio.Reader) (h zipHeader, err error) {
	var b [30]byte
	if _, err := io.ReadFull(r, b[:]); err != nil {
		return h, cutShort(err)
	}
	le := binary.LittleEndian
	h.flags, h.method = le.Uint16(b[6:]), le.Uint16(b[8:])
	h.sum, h.packed, h.size = le.Uint32(b[14:]), uint64(le.Uint32(b[18:])), uint64(le.Uint32(b[22:]))
	rest := make([]byte, int(le.Uint16(b[26:]))+int(le.Uint16(b[28:])))
	if _, err := io.ReadFull(r, rest); err != nil {
		return h, cutShort(err)
	}
	n := int(le.Uint16(b[26:]))
	h.name = string(rest[:n])
	// Extra field 1 holds sizes that need more than 4 bytes: section 4.5.3.
	for extra := rest[n:]; len(extra) >= 4; {
		id, n := le.Uint16(extra), int(le.Uint16(extra[2:]))
		extra = extra[4:]
		if n > len(extra) {
			break
		}
		if id == 1 {
			h.wide = true
			if n >= 16 && h.size == math.MaxUint32 && h.packed == math.MaxUint32 {
				h.size, h.packed = le.Uint64(extra), le.Uint64(extra[8:])
			}
		}
		extra = extra[n:]
	}
	return h, nil
}

// cutShort makes an end of input inside something an error.
func cutShort(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// Read implements io.Reader.
func (z *zipReader) Read(b []byte) (int, error) {
	if z.err != nil {
		return 0, z.err
	}
	n, err := z.data.Read(b)
	z.sum.Write(b[:n])
	z.size += uint64(n)
	if err == io.EOF {
		err = z.end()
	}
	z.err = err
	return n, err
}

// end checks the file against its sum, and that no other follows.
func (z *zipReader) end() error {
	if z.head.method != zipDeflate {
		if z.left.N > 0 && z.head.method == zipStored {
			return io.ErrUnexpectedEOF
		}
		if _, err := io.Copy(io.Discard, z.left); err != nil {
			return err
		}
	}
	if z.head.later() {
		if err := z.descriptor(); err != nil {
			return err
		}
	}
	if z.sum.Sum32() != z.head.sum {
		return &zipError{"the checksum of the zip data does not match"}
	}
	for {
		next, err := z.r.Peek(4)
		switch {
		case string(next) == zipCentral:
			_, err := io.Copy(io.Discard, z.r)
			if err == nil {
				err = io.EOF
			}
			return err
		case string(next) == zipLocal:
			h, err := readZipHeader(z.r)
			if err != nil {
				return err
			}
			if !strings.HasSuffix(h.name, "/") || h.size > 0 {
				return &zipError{fmt.Sprintf("the zip archive holds another file, %q; only the first is counted (unzip -p FILE NAME | keyskew)", h.name)}
			}
		case err != nil:
			return cutShort(err)
		default:
			return &zipError{"something other than zip data follows"}
		}
	}
}

// descriptor reads sum and sizes behind the file, which may have a signature in front: section 4.3.9.
func (z *zipReader) descriptor() error {
	if next, _ := z.r.Peek(4); string(next) == zipDescriptor {
		z.r.Discard(4)
	}
	b := make([]byte, 12, 20)
	if z.head.wide {
		b = b[:20]
	}
	if _, err := io.ReadFull(z.r, b); err != nil {
		return cutShort(err)
	}
	z.head.sum = binary.LittleEndian.Uint32(b)
	return nil
}

// Close implements io.Closer.
func (z *zipReader) Close() error { return z.data.Close() }

// maxNamed is how many files of an archive a message names.
const maxNamed = 5

// severalFiles says which files a zip archive holds when there is more than one: known before reading
// where the archive is a file on disk. A damaged list of files is left to reading to find.
func severalFiles(f *os.File, size int64) (why string, several bool) {
	var magic [4]byte
	if n, _ := f.ReadAt(magic[:], 0); string(magic[:n]) != zipLocal {
		return "", false
	}
	archive, err := zip.NewReader(f, size)
	if err != nil {
		return "", false
	}
	var names []string
	for _, member := range archive.File {
		if !member.FileInfo().IsDir() {
			names = append(names, fmt.Sprintf("%q", member.Name))
		}
	}
	if len(names) < 2 {
		return "", false
	}
	n := len(names)
	if n > maxNamed {
		names = append(names[:maxNamed], "...")
	}
	return fmt.Sprintf("the zip archive holds %d files: %s; name one (unzip -p FILE NAME | keyskew)", n, strings.Join(names, ", ")), true
}
