//! AMD products: name, architecture and the numbers that tuning looks at.
//!
//! Compute units are counted as HIP counts them (a work-group processor of RDNA is two). Figures come from IREE 3.13's
//! target table, the others from vendor documents; no limit may depend on them. Peaks of other arithmetic follow from
//! the family's rates (`Product::peak_tflops`).
//!
//! Vendor documents: AMD's product pages give f32 of the MI25, MI50, MI60, Radeon VII and of the RX 5000 and 6000
//! series (peak single precision), 6 TB/s of the MI325X, 448 GB/s of the V710. APUs: the widest memory that their
//! product pages allow (128 bits of LPDDR5X-7500, Strix Halo 256 bits of LPDDR5X-8000), and f16 as 512 operations a
//! compute unit and cycle at the boost clock (RDNA 3 white paper): 2.7 GHz for Phoenix, 2.9 GHz for Strix. No data
//! sheet has figures of a gfx1250 product.

use crate::backend::Backend;
use crate::product::{Product, products};

/// Amd products: one row a product, sorted as the vendor names generations.
pub const AMD_PRODUCTS: &[Product] = products! { Backend::Rocm:
    // name        architecture  units    GB/s  f16 TFLOP/s   f32  source           other spellings
    "mi25"         "gfx900"         64   484.0            _  12.3  VendorDocuments  [];
    "mi50"         "gfx906"         60  1024.0            _  13.3  VendorDocuments  [];
    "mi60"         "gfx906"         64  1024.0            _  14.7  VendorDocuments  [];
    "radeon-vii"   "gfx906"         60  1024.0            _  13.4  VendorDocuments  ["radeonvii"];
    "rx5700xt"     "gfx1010"        40   448.0            _  9.75  VendorDocuments  [];
    "rx6700xt"     "gfx1031"        40   384.0            _  13.2  VendorDocuments  [];
    "rx6800"       "gfx1030"        60   512.0            _  16.2  VendorDocuments  [];
    "rx6800xt"     "gfx1030"        72   512.0            _  20.7  VendorDocuments  [];
    "rx6900xt"     "gfx1030"        80   512.0            _  23.0  VendorDocuments  [];
    "w6800"        "gfx1030"        60   512.0            _  17.8  VendorDocuments  ["pro-w6800"];
    "mi100"        "gfx908"        120  1230.0        184.6     _  IreeTargetTable  [];
    "mi210"        "gfx90a"        104  1600.0        181.0     _  IreeTargetTable  [];
    "mi250"        "gfx90a"        208  3200.0        362.1     _  IreeTargetTable  [];
    "mi250x"       "gfx90a"        220  3200.0        383.0     _  IreeTargetTable  ["mi250x-oam"];
    "mi300a"       "gfx942"        228  5300.0        980.6     _  IreeTargetTable  [];
    "mi300x"       "gfx942"        304  5300.0       1307.4     _  IreeTargetTable  ["mi300x-oam"];
    "mi308x"       "gfx942"         80  5300.0        188.4     _  IreeTargetTable  [];
    "mi325x"       "gfx942"        304  6000.0       1307.4     _  VendorDocuments  [];
    "mi350x"       "gfx950"        256  8000.0       2300.0     _  IreeTargetTable  [];
    "mi355x"       "gfx950"        256  8000.0       2500.0     _  IreeTargetTable  [];
    "rx9070xt"     "gfx1201"        64   640.0        195.0     _  IreeTargetTable  [];
    "rx9070"       "gfx1201"        56   640.0        145.0     _  IreeTargetTable  [];
    "r9700"        "gfx1201"        64   640.0        191.0     _  IreeTargetTable  ["ai-pro-r9700"];
    "rx9060xt"     "gfx1200"        32   320.0        103.0     _  IreeTargetTable  [];
    "rx7900xtx"    "gfx1100"        96   960.0        123.0     _  IreeTargetTable  [];
    "rx7900xt"     "gfx1100"        84   800.0        103.0     _  IreeTargetTable  [];
    "rx7800xt"     "gfx1101"        60   620.0         74.6     _  IreeTargetTable  [];
    "rx7700xt"     "gfx1101"        54   430.0         70.3     _  IreeTargetTable  [];
    "v710"         "gfx1101"        54   448.0         55.3     _  VendorDocuments  ["pro-v710"];
    "w7900"        "gfx1100"        96   860.0        123.0     _  IreeTargetTable  ["pro-w7900"];
    "w7800"        "gfx1100"        70   580.0         90.4     _  IreeTargetTable  ["pro-w7800"];
    "w7700"        "gfx1101"        48   580.0         56.6     _  IreeTargetTable  ["pro-w7700"];
    "phoenix"      "gfx1103"        12   120.0         16.6     _  VendorDocuments  ["780m"];
    "strix-point"  "gfx1150"        16   120.0         23.8     _  VendorDocuments  ["890m"];
    "strix-halo"   "gfx1151"        40   256.0         59.4     _  VendorDocuments  ["8060s"];
};
