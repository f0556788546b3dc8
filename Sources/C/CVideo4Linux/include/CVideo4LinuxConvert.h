/// Conversion of uncompressed frames by libv4lconvert, without a device.
#ifndef CAPRIG_CVIDEO4LINUX_CONVERT_H
#define CAPRIG_CVIDEO4LINUX_CONVERT_H

#include <stddef.h>
#include <stdint.h>

/// A converter from one format to another, both without padding, of one size. For one thread at a time.
struct cv4l_converter;

/// NULL where there is no memory.
struct cv4l_converter *cv4l_converter_create(uint32_t source_fourcc, uint32_t bytes_per_line, uint32_t target_fourcc,
                                             uint32_t width, uint32_t height);
void cv4l_converter_destroy(struct cv4l_converter *converter);

/// Converts a frame. `source` may be written to; the library reads as much as the source format takes, whatever
/// `source_size` says, so that the caller must have checked it. Returns 0 or an errno; `target` is then unspecified.
int cv4l_convert(struct cv4l_converter *converter, uint8_t *source, size_t source_size, uint8_t *target,
                 size_t target_size);

#endif
