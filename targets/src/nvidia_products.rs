//! NVIDIA products: name, architecture and the numbers that tuning looks at.
//!
//! Input to name resolution (`resolve`) and to the roofline lines of `bench`; a product never changes what is legal,
//! that is the architecture row's business. The K80 row counts one of its two chips. Figures are the vendor's as
//! remembered from data sheets, not measured: no limit may depend on them.

use crate::backend::Backend;
use crate::product::{Product, products};

/// Nvidia products: one row a product, sorted as the vendor names generations.
pub const NVIDIA_PRODUCTS: &[Product] = products! { Backend::Cuda:
    // name      architecture  units    GB/s  f16 TFLOP/s    f32  source           other spellings
    "k80"        "sm_35"          13   240.0            _    4.4  VendorDocuments  ["tesla-k80"];
    "p100"       "sm_60"          56   732.0            _   10.6  VendorDocuments  ["p100-pcie-16gb", "p100-sxm2-16gb"];
    "p40"        "sm_61"          30   346.0            _   12.0  VendorDocuments  [];
    "v100"       "sm_70"          80   900.0        125.0   15.7  VendorDocuments
        ["v100-sxm2-16gb", "v100-sxm2-32gb", "v100-sxm3-32gb", "v100-pcie-16gb", "v100-pcie-32gb", "v100-sxm2",
         "v100-pcie"];
    "t4"         "sm_75"          40   320.0         65.0    8.1  VendorDocuments  [];
    "a100"       "sm_80"         108  1555.0        312.0   19.5  VendorDocuments
        ["a100-40gb", "a100-sxm4-40gb", "a100-pcie-40gb", "a100-sxm", "a100-pcie"];
    "a100-80gb"  "sm_80"         108  2039.0        312.0   19.5  VendorDocuments
        ["a100-sxm4-80gb", "a100-80gb-pcie", "a100-pcie-80gb"];
    "a30"        "sm_80"          56   933.0        165.0   10.3  VendorDocuments  [];
    "a10"        "sm_86"          72   600.0        125.0   31.2  VendorDocuments  [];
    "a40"        "sm_86"          84   696.0        150.0   37.4  VendorDocuments  [];
    "l4"         "sm_89"          58   300.0        121.0   30.3  VendorDocuments  [];
    "l40"        "sm_89"         142   864.0        181.0   90.5  VendorDocuments  [];
    "l40s"       "sm_89"         142   864.0        362.0   91.6  VendorDocuments  [];
    "h100"       "sm_90"         132  3350.0        989.0   67.0  VendorDocuments
        ["h100-sxm", "h100-sxm5", "h100-80gb-hbm3", "h100-80gb"];
    "h100-pcie"  "sm_90"         114  2000.0        756.0   51.0  VendorDocuments  [];
    "h200"       "sm_90"         132  4800.0        989.0   67.0  VendorDocuments  ["h200-sxm"];
    "gh200"      "sm_90"         132  4900.0        989.0   67.0  VendorDocuments  ["gh200-480gb"];
    "b200"       "sm_100"        148  8000.0       2250.0   75.0  VendorDocuments  [];
    "gb200"      "sm_100"        148  8000.0       2500.0   80.0  VendorDocuments  [];
    "b300"       "sm_103"        148  8000.0       2250.0   75.0  VendorDocuments  [];
    "rtx2060"    "sm_75"          30   336.0            _      _  VendorDocuments  [];
    "rtx2070"    "sm_75"          36   448.0            _      _  VendorDocuments  [];
    "rtx2080"    "sm_75"          46   448.0            _      _  VendorDocuments  [];
    "rtx2080ti"  "sm_75"          68   616.0            _   13.4  VendorDocuments  [];
    "rtx3060"    "sm_86"          28   360.0            _   12.7  VendorDocuments  [];
    "rtx3070"    "sm_86"          46   448.0            _   20.3  VendorDocuments  [];
    "rtx3070ti"  "sm_86"          48   608.0            _   21.7  VendorDocuments  [];
    "rtx3080"    "sm_86"          68   760.0            _   29.8  VendorDocuments  [];
    "rtx3080ti"  "sm_86"          80   912.0            _   34.1  VendorDocuments  [];
    "rtx3090"    "sm_86"          82   936.0         71.0   35.6  VendorDocuments  [];
    "rtx3090ti"  "sm_86"          84  1008.0         80.0   40.0  VendorDocuments  [];
    "rtx4060"    "sm_89"          24   272.0            _   15.1  VendorDocuments  [];
    "rtx4070"    "sm_89"          46   504.0            _   29.1  VendorDocuments  [];
    "rtx4080"    "sm_89"          76   717.0            _   48.7  VendorDocuments  [];
    "rtx4090"    "sm_89"         128  1008.0        165.0   82.6  VendorDocuments  [];
    "rtx5070"    "sm_120"         48   672.0            _   30.9  VendorDocuments  [];
    "rtx5080"    "sm_120"         84   960.0            _   56.3  VendorDocuments  [];
    "rtx5090"    "sm_120"        170  1792.0        209.0  104.8  VendorDocuments  [];
    "gb10"       "sm_121"         48   273.0            _      _  VendorDocuments  ["dgx-spark"];
    "orin"       "sm_87"          16   205.0            _    5.3  VendorDocuments  ["jetson-orin", "agx-orin"];
    "thor"       "sm_110"         20   273.0            _      _  VendorDocuments  ["jetson-thor", "agx-thor"];
};
