#ifndef KRYLITE_FORMATS_CONVERT_HPP
#define KRYLITE_FORMATS_CONVERT_HPP

/// \file
/// Conversions between CSR and the other formats, all on the execution space given (counts, a scan, a fill).
/// Every format goes back to CSR exactly: each stored entry, explicit zeros included, in its order. The CSR is only
/// read.

#include <krylite/formats/convert/adaptive_rgcsr.hpp>
#include <krylite/formats/convert/bcsr.hpp>
#include <krylite/formats/convert/coo.hpp>
#include <krylite/formats/convert/csr.hpp>
#include <krylite/formats/convert/csr5.hpp>
#include <krylite/formats/convert/ell.hpp>
#include <krylite/formats/convert/hyb.hpp>
#include <krylite/formats/convert/rgcsr.hpp>
#include <krylite/formats/convert/sliced_ell.hpp>

#endif
